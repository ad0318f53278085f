import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "An id of a call with other characters than letters, digits, `_` and `-`; Kimi's own are taken from Kimi",
  heals: "call and result get another id",
  error: "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
  problem: "tool_id",
  sources: [{ report: "openclaw/openclaw#12892" }, { report: "earendil-works/pi#781" }],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(call("call_1|fc_1")), user(result("call_1|fc_1", text("exit 0")))],
  faulty: [1, 2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
