import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "missing_tool_result",
  what: "A call without a tool's message behind it",
  heals: "a result says that the outcome is unknown",
  error: "must be followed by tool messages responding to each 'tool_call_id'",
  problem: "tool_pairing",
  sources: [
    {
      report: "MoonshotAI/kimi-cli#1977",
    },
    {
      report: "MoonshotAI/kimi-cli#2405",
    },
    {
      report: "QwenLM/qwen-code#315",
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
        ],
      },
      {
        role: "user",
        content: "and?",
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
