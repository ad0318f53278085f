import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "role_order",
  what: "A message of the user's behind a tool's",
  heals: 'the assistant says "[The tool results were received.]" in between',
  where: "Mistral, but not mistral-small",
  error: "Unexpected role 'user' after role 'tool'",
  problem: "role_order",
  sources: [
    {
      report: "openclaw/openclaw#33177",
    },
    {
      report: "yetone/avante.nvim#2562",
    },
  ],
  target: {
    host: "api.mistral.ai",
    model: "mistral-large-latest",
  },
  elsewhere: {
    host: "api.mistral.ai",
    model: "mistral-small-latest",
  },
  refused: {
    model: "mistral-large-latest",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "abcdefghi",
            type: "function",
            function: {
              name: "exec",
              arguments: "{}",
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "abcdefghi",
        content: "exit 0",
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
  faulty: [2, 3],
  taken: {
    model: "mistral-large-latest",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "abcdefghi",
            type: "function",
            function: {
              name: "exec",
              arguments: "{}",
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "abcdefghi",
        content: "exit 0",
      },
    ],
  },
} satisfies Card;
