import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "The name of a call with other characters than letters, digits, `_` and `-`",
  heals: "they become `_`",
  error: "string does not match pattern",
  problem: "tool_fields",
  sources: [{ report: "mcp-use/mcp-use#90" }],
  target: OPENAI,
  refused: [user("go"), calls(call("call_1", { name: "a.b" })), result("call_1")],
  faulty: [1],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
