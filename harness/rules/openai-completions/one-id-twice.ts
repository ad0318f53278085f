import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "duplicate_tool_call_id",
  what: "Two calls with the same id",
  heals: "the second call and its result get another id",
  error: "Duplicate value for 'tool_call_id'",
  problem: "tool_id",
  sources: [
    { report: "openclaw/openclaw#40897", says: "HTTP 400 duplicate `tool_call_id`" },
    { report: "agno-agi/agno#5116" },
  ],
  target: OPENAI,
  refused: [
    user("go"),
    calls(call("call_1"), call("call_1", { arguments: '{"b":1}' })),
    result("call_1"),
    result("call_1", "exit 1"),
  ],
  faulty: [1, 3],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
