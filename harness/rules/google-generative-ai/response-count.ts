import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "function_response_count",
  what: "Another number of responses than of calls",
  heals: "a response says that the outcome is unknown, or gets a placeholder call",
  error: "number of function response parts is equal to the number of function call parts",
  problem: "tool_pairing",
  sources: [
    {
      report: "google-gemini/gemini-cli#4504",
    },
    {
      report: "microsoft/vscode#299295",
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
            functionCall: {
              name: "exec",
              args: {},
            },
          },
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
} satisfies Card;
