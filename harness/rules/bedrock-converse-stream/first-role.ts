import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "first_role",
  what: "A history that begins with the assistant",
  heals: 'the user says "[Start of the available conversation.]"',
  where: "all but Claude 4 and later",
  error: "A conversation must start with a user message",
  problem: "role_order",
  sources: [
    {
      report: "langgenius/dify#12340",
    },
  ],
  target: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.amazon.nova-pro-v1:0",
  },
  elsewhere: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
  },
  refused: {
    modelId: "us.amazon.nova-pro-v1:0",
    messages: [
      {
        role: "assistant",
        content: [
          {
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            text: "and?",
          },
        ],
      },
    ],
  },
  faulty: [],
  taken: {
    modelId: "us.amazon.nova-pro-v1:0",
    messages: [
      {
        role: "user",
        content: [
          {
            text: "go",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            text: "and?",
          },
        ],
      },
    ],
  },
} satisfies Card;
