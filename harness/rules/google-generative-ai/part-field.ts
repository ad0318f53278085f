import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A part with a field that it does not have",
  heals: "the field is left out",
  error: "Cannot find field",
  problem: "block_form",
  sources: [
    {
      report: "Chevey339/kelivo#543",
    },
    {
      report: "gera2ld/ai.nvim#13",
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
          {
            text: "ok",
            id: "1",
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
