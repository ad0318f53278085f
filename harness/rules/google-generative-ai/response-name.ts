import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A response without a name",
  heals: "it gets the name of its call",
  error: "function_response.name: Name cannot be empty",
  problem: "tool_fields",
  sources: [
    {
      report: "langflow-ai/langflow#9437",
    },
    {
      report: "router-for-me/CLIProxyAPI#1903",
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
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: "",
              response: {
                output: "exit 0",
              },
            },
          },
        ],
      },
    ],
  },
  faulty: [2],
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
