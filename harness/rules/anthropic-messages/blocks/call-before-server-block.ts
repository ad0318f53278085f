import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "tool_use_order",
  what: "A client's call before a block of a server's tool in one message",
  heals: "the call is moved to the end, the rest keeps its order",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      report: "vercel/ai#13013",
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
            type: "tool_use",
            id: "toolu_1",
            name: "exec",
            input: {},
          },
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
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: "exit 0",
          },
        ],
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
            type: "tool_use",
            id: "toolu_1",
            name: "exec",
            input: {},
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: "exit 0",
          },
        ],
      },
    ],
  },
} satisfies Card;
