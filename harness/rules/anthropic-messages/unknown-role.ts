import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "role",
  what: "A message of another role",
  heals: "it becomes the user's, a result stays a result",
  error: 'Unexpected role "',
  problem: "role_order",
  sources: [
    {
      report: "ogx-ai/ogx#5982",
      says: "messages.1.role: Input should be 'user' or 'assistant'",
    },
    {
      report: "sgl-project/sglang#367",
      says: 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
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
        role: "critic",
        content: "no",
      },
    ],
  },
  faulty: [2],
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
        content: "no",
      },
    ],
  },
} satisfies Card;
