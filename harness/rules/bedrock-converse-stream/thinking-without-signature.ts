import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "Reasoning without its signature",
  heals: "it is sent as text",
  where: "Claude",
  error: "thinking.signature: Field required",
  problem: "thinking",
  sources: [
    {
      report: "maximhq/bifrost#6624",
    },
    {
      report: "maximhq/bifrost#6942",
    },
  ],
  target: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
  },
  elsewhere: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.amazon.nova-pro-v1:0",
  },
  refused: {
    modelId: "us.anthropic.claude-opus-4-5-20251101-v1:0",
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
            reasoningContent: {
              reasoningText: {
                text: "hm",
              },
            },
          },
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
  faulty: [1],
  taken: {
    modelId: "us.anthropic.claude-opus-4-5-20251101-v1:0",
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
