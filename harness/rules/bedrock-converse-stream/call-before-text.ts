import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "text_behind_call",
  what: "A call before a text in one message; known of Claude on its own API, and of Bedrock without its words",
  heals: "the call is moved to the end",
  where: "Claude",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      recording:
        "anomalyco/opencode: packages/llm/test/fixtures/recordings/anthropic-messages/rejects-malformed-assistant-tool-order-without-patch.json",
    },
    {
      report: "evalstate/fast-agent#667",
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
          {
            text: "I look.",
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
            text: "I look.",
          },
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
