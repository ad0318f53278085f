import type { Card } from "../card.ts";

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
    {
      report: "QwenLM/qwen-code#2360",
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
        content: "ok",
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 0",
      },
    ],
  },
  faulty: [1, 2],
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
