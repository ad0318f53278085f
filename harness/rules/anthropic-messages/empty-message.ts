import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "empty_message",
  what: "A message without content",
  heals: "it is left out",
  error: "all messages must have non-empty content",
  problem: "empty_content",
  sources: [
    {
      report: "openclaw/openclaw#210",
    },
    {
      report: "anthropics/claude-code#2196",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  refused: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: [],
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
  faulty: [0, 1, 2],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
} satisfies Card;
