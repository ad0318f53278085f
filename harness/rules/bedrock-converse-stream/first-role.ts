import type { Card } from "../card.ts";
import { assistant, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "first_role",
  what: "A history that begins with the assistant",
  heals: "the user begins",
  where: "all but Claude 4 and later",
  error: "A conversation must start with a user message",
  problem: "role_order",
  sources: [{ report: "langgenius/dify#12340" }],
  target: BEDROCK_NOVA,
  elsewhere: BEDROCK_CLAUDE,
  refused: [assistant(text("ok")), user(text("and?"))],
  faulty: [],
  taken: [user(text("go")), assistant(text("ok")), user(text("and?"))],
} satisfies Card;
