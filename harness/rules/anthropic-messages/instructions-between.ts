import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "role",
  what: "Messages of the role `system` between the others",
  heals: "they become the user's",
  where: "Claude 4.7 and earlier",
  error: 'Unexpected role "system"',
  problem: "role_order",
  sources: [
    {
      report: "sgl-project/sglang#367",
    },
    {
      report: "Maol-1997/cursor-claude-connector#3",
    },
    {
      report: "aaronrussell/anthropix#2",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  elsewhere: {
    host: "api.anthropic.com",
    model: "claude-opus-4-8",
  },
  refused: {
    model: "claude-haiku-4-5",
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
            text: "ok",
          },
        ],
      },
      {
        role: "system",
        content: "Be brief.",
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
  faulty: [2, 3],
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
