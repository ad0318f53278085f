import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "history_empty",
  what: "A history without messages",
  heals: 'the user says "[Start of the available conversation.]"',
  error: "Invalid 'messages': empty array",
  problem: "empty_content",
  sources: [
    {
      report: "CopilotKit/CopilotKit#529",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  refused: {
    model: "gpt-5.2",
    messages: [],
  },
  faulty: [],
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
