import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A blank text block; the assistant's beside a server's tool is taken",
  heals: "it is left out, its cache mark moves to the block before",
  error: "text content blocks must be non-empty",
  problem: "empty_content",
  sources: [
    {
      report: "openclaw/openclaw#73472",
    },
    {
      report: "anthropics/claude-code#53054",
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
            type: "text",
            text: "",
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
