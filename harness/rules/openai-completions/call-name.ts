import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "The name of a call with other characters than letters, digits, `_` and `-`",
  heals: "they become `_`",
  error: "string does not match pattern",
  problem: "tool_fields",
  sources: [
    {
      report: "mcp-use/mcp-use#90",
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
              name: "a.b",
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
