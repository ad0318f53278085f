import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "An id of a call with more than 40 characters",
  heals: "call and result get another id",
  where: "OpenAI's models and servers",
  error: "string too long. Expected a string with maximum length 40",
  problem: "tool_id",
  sources: [
    {
      report: "openclaw/openclaw#875",
    },
    {
      report: "BerriAI/litellm#17343",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  elsewhere: {
    host: "openrouter.ai",
    model: "anthropic/claude-opus-4.5",
  },
  refused: {
    model: "gpt-5.2",
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
            id: "cccccccccccccccccccccccccccccccccccccccccccccccccc",
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
        tool_call_id: "cccccccccccccccccccccccccccccccccccccccccccccccccc",
        content: "exit 0",
      },
    ],
  },
  faulty: [1, 2],
  taken: {
    model: "gpt-5.2",
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
} satisfies Card;
