import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_LLAMA, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "mixed_turn",
  what: "Text beside a `toolUse`",
  heals: "the user goes on in between",
  where: "Llama and Mistral",
  error: "Conversation blocks and tool use blocks cannot be provided in the same turn",
  problem: "tool_pairing",
  sources: [{ report: "langchain-ai/langchain-aws#1118" }, { report: "quarkiverse/quarkus-langchain4j#1983" }],
  target: BEDROCK_LLAMA,
  elsewhere: BEDROCK_NOVA,
  refused: [user(text("go")), assistant(text("I look."), call("a")), user(result("a", text("exit 0")))],
  faulty: [1],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
