import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "role_order",
  what: "Two messages of one role in a row",
  heals: "they are joined",
  where: "all but Titan",
  error: "A conversation must alternate between user and assistant roles",
  problem: "role_order",
  sources: [
    {
      report: "langchain-ai/langchainjs#6724",
    },
    {
      report: "microsoft/semantic-kernel#10281",
    },
  ],
  target: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
  },
  elsewhere: {
    host: "bedrock-runtime.amazonaws.com",
    model: "amazon.titan-text-express-v1",
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
        role: "user",
        content: [
          {
            text: "and?",
          },
        ],
      },
    ],
  },
  faulty: [0, 1],
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
    ],
  },
} satisfies Card;
