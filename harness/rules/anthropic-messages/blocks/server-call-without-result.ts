import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "missing_server_result",
  what: "A call of a server's tool without its result; beside a client's call it may still wait, and a paused turn ends with it",
  heals: "the call is sent as text",
  error: "was found without a corresponding",
  problem: "tool_pairing",
  sources: [
    {
      report: "langchain-ai/langchainjs#11407",
    },
    {
      report: "anthropics/anthropic-sdk-typescript#841",
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
            type: "server_tool_use",
            id: "srvtoolu_1",
            name: "web_search",
            input: {
              query: "q",
            },
          },
          {
            type: "text",
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: "and?",
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
            type: "server_tool_use",
            id: "srvtoolu_1",
            name: "web_search",
            input: {
              query: "q",
            },
          },
          {
            type: "web_search_tool_result",
            tool_use_id: "srvtoolu_1",
            content: [],
          },
          {
            type: "text",
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
} satisfies Card;
