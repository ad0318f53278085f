import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "duplicate_tool_call_id",
  what: "Two calls with the same id",
  heals: "the second call and its result get another id",
  error: "Duplicate value for 'tool_call_id'",
  problem: "tool_id",
  sources: [
    {
      report: "openclaw/openclaw#40897",
      says: "HTTP 400 duplicate `tool_call_id`",
    },
    {
      report: "agno-agi/agno#5116",
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
              arguments: "{}",
            },
          },
          {
            id: "call_1",
            type: "function",
            function: {
              name: "exec",
              arguments: '{"b":1}',
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 0",
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 1",
      },
    ],
  },
  faulty: [1, 2, 3],
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
