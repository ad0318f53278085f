import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A part without data, signature or a word on a video",
  heals: "it is left out",
  error: "required oneof field 'data' must have one initialized field",
  problem: "empty_content",
  sources: [
    {
      report: "54xzh/FLIT#69",
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
        parts: [
          {},
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
  faulty: [1],
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
