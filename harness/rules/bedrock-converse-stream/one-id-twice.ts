import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "duplicate_tool_use_id",
  what: "Two calls with the same id",
  heals: "the second call and its result get another id",
  error: "duplicate Ids",
  problem: "tool_id",
  sources: [
    {
      report: "kirodotdev/Kiro#9355",
    },
    {
      report: "BerriAI/litellm#20049",
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
            toolUse: {
              toolUseId: "a",
              name: "exec",
              input: {},
            },
          },
          {
            toolUse: {
              toolUseId: "a",
              name: "exec",
              input: {
                b: 1,
              },
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
          {
            toolResult: {
              toolUseId: "a",
              content: [
                {
                  text: "exit 1",
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
