import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "empty_message",
  what: "A content without parts",
  heals: "it is left out",
  error: "contents.parts must not be empty",
  problem: "empty_content",
  sources: [
    {
      report: "egoist/chatwise-releases#250",
    },
  ],
  target: {
    host: "generativelanguage.googleapis.com",
    model: "gemini-2.5-pro",
  },
  refused: {
    contents: [
      {
        role: "user",
        parts: [
          {
            text: "go",
          },
        ],
      },
      {
        role: "model",
        parts: [],
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
  faulty: [0, 1, 2],
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
