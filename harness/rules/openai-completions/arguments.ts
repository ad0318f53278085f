import type { Card } from "../card.ts";

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
    {
      report: "MoonshotAI/kimi-cli#2165",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  refused: {
    model: "gpt-5.2",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: {
              name: "exec",
              arguments: '{"a":',
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 0",
      },
    ],
  },
  faulty: [1],
  taken: {
    model: "gpt-5.2",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: {
              name: "exec",
              arguments: "{}",
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 0",
      },
    ],
  },
} satisfies Card;
