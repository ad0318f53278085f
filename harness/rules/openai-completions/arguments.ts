import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "Arguments that are no JSON of an object",
  heals: "they become one",
  error: "tool_calls[0].function.arguments",
  problem: "tool_fields",
  sources: [
    {
      report: "justrach/codegraff#752",
      says: "Invalid request: messages.70.tool_calls.0.function.arguments: arguments must be a valid JSON object string",
    },
    {
      report: "bytedance/deer-flow#4445",
      says: "messages.2.tool_calls.0.function.arguments: Input should be a valid string",
    },
    { report: "MoonshotAI/kimi-cli#2165" },
  ],
  target: OPENAI,
  refused: [user("go"), calls(call("call_1", { arguments: '{"a":' })), result("call_1")],
  faulty: [1],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
