import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "empty_message",
  what: "A message without content",
  heals: "it is left out",
  error: "The content field in the Message object at messages.1 is empty",
  problem: "empty_content",
  sources: [
    {
      report: "openclaw/openclaw#71572",
    },
  ],
  target: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
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
        content: [],
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
  faulty: [0, 1, 2],
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
