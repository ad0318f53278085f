import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "missing_tool_result",
  what: "A call without a result in the message behind it",
  heals: "a result says that the outcome is unknown",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      report: "anthropics/claude-code#1831",
    },
    {
      report: "openclaw/openclaw#13704",
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
        ],
      },
      {
        role: "user",
        content: "and?",
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
