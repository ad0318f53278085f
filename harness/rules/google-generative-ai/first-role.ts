import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "first_role",
  what: "A history that begins with the model",
  heals: 'the user says "[Start of the available conversation.]"',
  error: "multiturn requests",
  problem: "role_order",
  sources: [
    {
      report: "microsoft/autogen#2900",
      says: "Please ensure that multiturn requests alternate between user and model.",
    },
  ],
  target: {
    host: "generativelanguage.googleapis.com",
    model: "gemini-2.5-pro",
  },
  refused: {
    contents: [
      {
        role: "model",
        parts: [
          {
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            text: "and?",
          },
        ],
      },
    ],
  },
  faulty: [],
  taken: {
    contents: [
      {
        role: "user",
        parts: [
          {
            text: "go",
          },
        ],
      },
    ],
  },
} satisfies Card;
