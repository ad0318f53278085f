import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "blank_text",
  what: "A message of blank text",
  heals: "it is left out",
  error: "text content blocks must",
  problem: "empty_content",
  sources: [
    {
      report: "openclaw/openclaw#73472",
    },
    {
      report: "anthropics/claude-code#53054",
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
        content: [
          {
            type: "text",
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: " ",
      },
    ],
  },
  faulty: [1, 2],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
} satisfies Card;
