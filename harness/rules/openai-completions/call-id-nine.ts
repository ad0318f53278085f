import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "An id of a call that is not nine letters or digits",
  heals: "call and result get another id",
  where: "Mistral",
  error: "but must be a-z, A-Z, 0-9, with a length of 9",
  problem: "tool_id",
  sources: [
    {
      report: "openclaw/openclaw#52548",
    },
  ],
  target: {
    host: "api.mistral.ai",
    model: "mistral-large-latest",
  },
  elsewhere: {
    host: "api.openai.com",
    model: "gpt-5.2",
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
            id: "call_1",
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
        tool_call_id: "call_1",
        content: "exit 0",
      },
    ],
  },
  faulty: [1, 2],
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
