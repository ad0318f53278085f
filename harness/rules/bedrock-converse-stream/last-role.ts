import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
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
    host: "bedrock-runtime.amazonaws.com",
    model: "us.anthropic.claude-opus-4-6-v1",
  },
  elsewhere: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.amazon.nova-pro-v1:0",
  },
  refused: {
    modelId: "us.anthropic.claude-opus-4-6-v1",
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
    ],
  },
  faulty: [],
  taken: {
    modelId: "us.anthropic.claude-opus-4-6-v1",
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
