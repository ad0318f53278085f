import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "mixed_turn",
  what: "Anything beside a `toolResult`",
  heals: 'the assistant says "[The results were received.]" in between',
  where: "Llama and Mistral",
  error: "Conversation blocks and tool result blocks cannot be provided in the same turn",
  problem: "tool_pairing",
  sources: [
    {
      report: "pydantic/pydantic-ai#6098",
    },
    {
      report: "BerriAI/litellm#6053",
    },
    {
      report: "browser-use/browser-use#710",
    },
    {
      report: "langchain-ai/langchain-aws#141",
    },
  ],
  target: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.meta.llama3-3-70b-instruct-v1:0",
  },
  elsewhere: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.amazon.nova-pro-v1:0",
  },
  refused: {
    modelId: "us.meta.llama3-3-70b-instruct-v1:0",
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
            text: "and?",
          },
        ],
      },
    ],
  },
  faulty: [2],
  taken: {
    modelId: "us.meta.llama3-3-70b-instruct-v1:0",
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
