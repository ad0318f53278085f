import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "first_role",
  what: "A history that begins with the assistant",
  heals: 'the user says "[Start of the available conversation.]"',
  where: "Claude 3.5 and earlier",
  error: 'first message must use the "user" role',
  problem: "role_order",
  sources: [
    {
      report: "lobehub/lobehub#1601",
    },
    {
      report: "tonyljx/TextWordExplain#2",
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
    model: "claude-3-5-sonnet-20241022",
    max_tokens: 100,
    messages: [
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
  faulty: [],
  taken: {
    model: "claude-3-5-sonnet-20241022",
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
