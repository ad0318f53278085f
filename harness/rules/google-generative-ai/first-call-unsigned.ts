import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "thought_signature",
  what: "The first call of a step of the current turn without its signature",
  heals: "it gets Google's placeholder",
  where: "Gemini 3",
  error: "Function call is missing a thought_signature in functionCall parts",
  problem: "thinking",
  sources: [
    {
      report: "openclaw/openclaw#63397",
    },
    {
      report: "crmne/ruby_llm#521",
    },
  ],
  target: {
    host: "generativelanguage.googleapis.com",
    model: "gemini-3-pro-preview",
  },
  elsewhere: {
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
            functionCall: {
              name: "exec",
              args: {},
            },
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: "exec",
              response: {
                output: "exit 0",
              },
            },
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
      {
        role: "model",
        parts: [
          {
            functionCall: {
              name: "exec",
              args: {},
            },
            thoughtSignature: "c2ln",
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: "exec",
              response: {
                output: "exit 0",
              },
            },
          },
        ],
      },
    ],
  },
} satisfies Card;
