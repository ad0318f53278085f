import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "final_whitespace",
  what: "White space at the end of the beginning of an answer",
  heals: "it is left out",
  error: "final assistant content cannot end with trailing whitespace",
  problem: "role_order",
  sources: [
    {
      report: "tailcallhq/forgecode#1872",
    },
    {
      report: "crewAIInc/crewAI#4538",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  refused: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "so ",
          },
        ],
      },
    ],
  },
  faulty: [0, 1, 2],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "so",
          },
        ],
      },
    ],
  },
} satisfies Card;
