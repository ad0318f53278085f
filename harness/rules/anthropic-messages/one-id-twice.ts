import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "duplicate_tool_use_id",
  what: "Two calls of one turn with the same id; a later turn may have it again",
  heals: "the second call and its result get another id",
  error: "`tool_use` ids must be unique",
  problem: "tool_id",
  sources: [
    {
      report: "BerriAI/litellm#23510",
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
            type: "tool_use",
            id: "toolu_1",
            name: "exec",
            input: {
              b: 1,
            },
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
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: "exit 1",
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
