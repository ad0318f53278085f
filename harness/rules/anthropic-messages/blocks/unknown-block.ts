import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A block of a type that the API does not know",
  heals: "it is sent as text",
  error: "found using 'type' does not match any of the expected tags",
  problem: "block_form",
  sources: [
    {
      report: "vercel/ai#22005",
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
            type: "fallback",
            from: "a",
          },
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
  faulty: [1],
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
