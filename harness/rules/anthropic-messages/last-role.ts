import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "last_role",
  what: "A history that ends with the assistant",
  heals: 'the user says "[Please continue.]"',
  where: "Claude 4.6 and later, and with thinking on",
  error: "This model does not support assistant message prefill.",
  problem: "role_order",
  sources: [
    {
      report: "openclaw/openclaw#54410",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  elsewhere: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  refused: {
    model: "claude-opus-4-6",
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
    ],
  },
  faulty: [],
  taken: {
    model: "claude-opus-4-6",
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
