import type { Card } from "../card.ts";
import { assistant, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "empty_message",
  what: "A message without content",
  heals: "it is left out",
  error: "The content field in the Message object at messages.1 is empty",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#71572" }],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(), user(text("and?"))],
  faulty: [0, 1, 2],
  taken: [user(text("go")), assistant(text("ok")), user(text("and?"))],
} satisfies Card;
