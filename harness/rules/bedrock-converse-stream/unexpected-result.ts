import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "unexpected_tool_result",
  what: "A result without its call in the message before",
  heals: "it gets a placeholder call",
  error: "exceeds the number of toolUse blocks of previous turn",
  problem: "tool_pairing",
  sources: [
    {
      report: "OpenHands/OpenHands#4912",
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
            toolResult: {
              toolUseId: "a",
              content: [
                {
                  text: "exit 0",
                },
              ],
            },
          },
        ],
      },
    ],
  },
  faulty: [1, 2],
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
            toolUse: {
              toolUseId: "a",
              name: "exec",
              input: {},
            },
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "a",
              content: [
                {
                  text: "exit 0",
                },
              ],
            },
          },
        ],
      },
    ],
  },
} satisfies Card;
