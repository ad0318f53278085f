import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "reasoning_item",
  what: "Reasoning without the item that it led to behind it",
  heals: "its summary is sent as text",
  error: "was provided without its required following item",
  problem: "thinking",
  sources: [
    {
      recorded: 253,
    },
    {
      report: "openclaw/openclaw#18428",
    },
    {
      report: "openai/openai-node#1567",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
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
        type: "reasoning",
        id: "rs_1",
        summary: [],
      },
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "and?",
          },
        ],
      },
    ],
  },
  faulty: [1],
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
        type: "reasoning",
        id: "rs_1",
        summary: [],
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
            text: "and?",
          },
        ],
      },
    ],
  },
} satisfies Card;
