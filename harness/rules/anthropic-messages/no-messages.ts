import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "history_empty",
  what: "A history without messages",
  heals: 'the user says "[Start of the available conversation.]"',
  error: "at least one message is required",
  problem: "empty_content",
  sources: [
    {
      report: "openclaw/openclaw#76829",
    },
    {
      report: "decolua/9router#2986",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  refused: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [],
  },
  faulty: [],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
    ],
  },
} satisfies Card;
