import type { Card } from "../card.ts";
import { assistant, call, calls, result, user } from "../build/chat.ts";
import { OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "unexpected_tool_result",
  what: "A tool's message that answers no call before it",
  heals: "it gets a placeholder call",
  error: "must be a response to a preceeding message with 'tool_calls'",
  problem: "tool_pairing",
  sources: [
    {
      report: "itmisx/deepx-code#94",
      says: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    },
    { report: "QwenLM/qwen-code#2360" },
  ],
  target: OPENAI,
  refused: [user("go"), assistant("ok"), result("call_1")],
  faulty: [],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
