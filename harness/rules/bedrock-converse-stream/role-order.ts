import type { Card } from "../card.ts";
import { text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "role_order",
  what: "Two messages of one role in a row",
  heals: "they are joined",
  where: "all but Titan",
  error: "A conversation must alternate between user and assistant roles",
  problem: "role_order",
  sources: [{ report: "langchain-ai/langchainjs#6724" }, { report: "microsoft/semantic-kernel#10281" }],
  target: BEDROCK_CLAUDE,
  elsewhere: { ...BEDROCK_CLAUDE, model: "amazon.titan-text-express-v1" },
  refused: [user(text("go")), user(text("and?"))],
  faulty: [0, 1],
  taken: [user(text("go"))],
} satisfies Card;
