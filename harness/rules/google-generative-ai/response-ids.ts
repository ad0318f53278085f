import type { Card } from "../card.ts";

export default {
  api: "google-generative-ai",
  rule: "function_response_match",
  what: "Responses with other ids than the calls, where both have ids",
  heals: "they get the ids of the calls",
  error: "functionResponse.id does not match functionCall.id",
  problem: "tool_pairing",
  sources: [
    {
      report: "router-for-me/CLIProxyAPI#5199",
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
              id: "a",
              name: "exec",
              args: {},
            },
          },
          {
            functionCall: {
              id: "b",
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
              id: "a",
              name: "exec",
              response: {
                output: "exit 0",
              },
            },
          },
          {
            functionResponse: {
              id: "c",
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
  faulty: [1, 2],
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
              id: "a",
              name: "exec",
              args: {},
            },
          },
          {
            functionCall: {
              id: "b",
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
              id: "b",
              name: "exec",
              response: {
                output: "exit 0",
              },
            },
          },
          {
            functionResponse: {
              id: "a",
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
