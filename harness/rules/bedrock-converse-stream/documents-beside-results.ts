import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "mixed_turn",
  what: "A video, or a document that is no PDF, beside a `toolResult`",
  heals: 'the assistant says "[The results were received.]" in between',
  where: "Claude",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      report: "pydantic/pydantic-ai#6098",
    },
    {
      report: "pydantic/pydantic-ai#3253",
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
          {
            document: {
              format: "csv",
              name: "d",
              source: {
                bytes:
                  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
              },
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
                  text: "exit 0",
                },
              ],
            },
          },
          {
            document: {
              format: "pdf",
              name: "d",
              source: {
                bytes:
                  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
              },
            },
          },
        ],
      },
    ],
  },
} satisfies Card;
