import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "The `json` of a result that is no object",
  heals: "it is sent as text",
  error: "json is invalid. Provide a json object for the field and try again",
  problem: "tool_fields",
  sources: [
    {
      report: "aws/aws-sdk-js-v3#7330",
    },
    {
      report: "deepset-ai/haystack-core-integrations#3766",
    },
    {
      report: "sigoden/aichat#1550",
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
                  json: ["a.txt"],
                },
              ],
            },
          },
        ],
      },
    ],
  },
  faulty: [2],
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
                  json: {
                    a: 1,
                  },
                },
              ],
            },
          },
        ],
      },
    ],
  },
  mustReach: ["a.txt"],
} satisfies Card;
