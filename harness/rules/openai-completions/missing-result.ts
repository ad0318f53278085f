import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "missing_tool_result",
  what: "A call without a tool's message behind it",
  heals: "a result says that the outcome is unknown",
  error: "must be followed by tool messages responding to each 'tool_call_id'",
  problem: "tool_pairing",
  sources: [
    { report: "MoonshotAI/kimi-cli#1977" },
    { report: "MoonshotAI/kimi-cli#2405" },
    { report: "QwenLM/qwen-code#315" },
  ],
  target: OPENAI,
  refused: [user("go"), calls(call("call_1")), user("and?")],
  faulty: [],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
