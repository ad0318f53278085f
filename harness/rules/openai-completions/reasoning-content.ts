import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "reasoning_content",
  what: "With thinking on, calls without the reasoning that led to them",
  heals: "the reasoning is said to be empty",
  where: "DeepSeek, Kimi, MiMo",
  error: "The reasoning_content in the thinking mode must be passed back to the API",
  problem: "thinking",
  sources: [
    {
      report: "openclaw/openclaw#71050",
    },
    {
      report: "openclaw/openclaw#82161",
      says: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 6",
    },
  ],
  target: {
    host: "api.deepseek.com",
    model: "deepseek-chat",
  },
  elsewhere: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  refused: {
    model: "deepseek-chat",
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
    thinking: {
      type: "enabled",
    },
  },
  faulty: [1],
  taken: {
    model: "deepseek-chat",
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
        reasoning_content: "",
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 0",
      },
    ],
    thinking: {
      type: "enabled",
    },
  },
} satisfies Card;
