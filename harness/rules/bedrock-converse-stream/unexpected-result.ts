import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "unexpected_tool_result",
  what: "A result without its call in the message before",
  heals: "it gets a placeholder call",
  error: "exceeds the number of toolUse blocks of previous turn",
  problem: "tool_pairing",
  sources: [{ report: "OpenHands/OpenHands#4912" }],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(text("ok")), user(result("a", text("exit 0")))],
  faulty: [1, 2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
