import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "message_field",
  what: "A message with a field that the API does not have",
  heals: "the field is left out",
  error: "Extra inputs are not permitted",
  problem: "thinking",
  sources: [
    {
      report: "RooCodeInc/Roo-Code#11429",
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
        reasoning_details: [],
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
