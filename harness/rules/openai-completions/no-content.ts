import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "A message without content, or of blank text; the assistant's beside calls is taken",
  heals: "it is left out",
  error: "must not be empty",
  problem: "empty_content",
  sources: [
    {
      report: "MoonshotAI/kimi-code#1985",
    },
    {
      report: "AstrBotDevs/AstrBot#7200",
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
        role: "user",
        content: " ",
      },
    ],
  },
  faulty: [2],
  taken: {
    model: "gpt-5.2",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: " ",
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
