import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "A call whose input is no object",
  heals: "the input becomes an object",
  error: "toolUse.input is invalid",
  problem: "tool_fields",
  sources: [{ report: "vercel/ai#19023" }],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(call("a", { input: "ls" })), user(result("a", text("exit 0")))],
  faulty: [1],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
