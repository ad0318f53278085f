import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "An id of a server's call that Anthropic's server did not make",
  heals: "the pair is sent as text",
  where: "Claude",
  error: "server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  problem: "tool_id",
  sources: [
    {
      report: "betmoar/cc-proxy-plugin#67",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  elsewhere: {
    host: "api.z.ai",
    model: "glm-4.6",
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
            id: "call_1",
            name: "web_search",
            input: {
              query: "q",
            },
          },
          {
            type: "web_search_tool_result",
            tool_use_id: "call_1",
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
  faulty: [1],
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
