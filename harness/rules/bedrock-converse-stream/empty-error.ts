import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "A result with status `error` that is empty",
  heals: '"(no output)"',
  error: "cannot be empty when status value is error",
  problem: "tool_fields",
  sources: [
    {
      report: "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15",
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
              content: [],
              status: "error",
            },
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
