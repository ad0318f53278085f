import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "An id of a call with other characters than letters, digits, `_` and `-`",
  heals: "call and result get another id",
  error: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  problem: "tool_id",
  sources: [
    {
      report: "openclaw/openclaw#12277",
    },
    {
      report: "tailcallhq/forgecode#1142",
    },
    {
      report: "CommandCodeAI/command-code#323",
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
            id: "functions.exec:0",
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
            tool_use_id: "functions.exec:0",
            content: "exit 0",
          },
        ],
      },
    ],
  },
  faulty: [1, 2],
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
