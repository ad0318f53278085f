import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "mixed_turn",
  what: "Text beside a `toolUse`",
  heals: 'the user says "[Please continue.]" in between',
  where: "Llama and Mistral",
  error: "Conversation blocks and tool use blocks cannot be provided in the same turn",
  problem: "tool_pairing",
  sources: [
    {
      report: "langchain-ai/langchain-aws#1118",
    },
    {
      report: "quarkiverse/quarkus-langchain4j#1983",
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
  faulty: [1],
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
