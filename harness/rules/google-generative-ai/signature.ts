import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A signature that is no base64",
  heals: "it is left out",
  error: "Base64 decoding failed",
  problem: "thinking",
  sources: [
    {
      report: "crmne/ruby_llm#521",
    },
    {
      report: "google-gemini/gemini-cli#8011",
    },
    {
      report: "MayDay-wpf/snow-cli#84",
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
            thoughtSignature: "a=b=c",
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
