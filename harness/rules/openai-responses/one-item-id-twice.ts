import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "duplicate_item_id",
  what: "Two items with the same id",
  heals: "the id is left out",
  where: "OpenAI",
  error: "Duplicate item found with id",
  problem: "tool_id",
  sources: [
    {
      report: "OpenRouterTeam/ai-sdk-provider#254",
    },
    {
      report: "openai/openai-agents-python#1789",
    },
    {
      report: "microsoft/vscode#321977",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  elsewhere: {
    host: "api.x.ai",
    model: "grok-4.3",
  },
  refused: {
    model: "gpt-5.2",
    store: false,
    input: [
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "go",
          },
        ],
      },
      {
        type: "message",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "ok",
            annotations: [],
          },
        ],
        id: "msg_1",
      },
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "b",
          },
        ],
      },
      {
        type: "message",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "c",
            annotations: [],
          },
        ],
        id: "msg_1",
      },
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "d",
          },
        ],
      },
    ],
  },
  faulty: [1, 3],
  taken: {
    model: "gpt-5.2",
    store: false,
    input: [
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "go",
          },
        ],
      },
      {
        type: "message",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "ok",
            annotations: [],
          },
        ],
        id: "msg_1",
      },
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "d",
          },
        ],
      },
    ],
  },
} satisfies Card;
