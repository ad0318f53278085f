import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A picture without bytes",
  heals: "it is sent as text",
  error: "image cannot be empty",
  problem: "image",
  sources: [
    {
      report: "anthropics/claude-code#36712",
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
        content: [
          {
            type: "text",
            text: "look",
          },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "",
            },
          },
        ],
      },
    ],
  },
  faulty: [0],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "look",
          },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ],
  },
} satisfies Card;
