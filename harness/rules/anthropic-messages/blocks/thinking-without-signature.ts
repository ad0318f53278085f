import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "Thinking without its signature",
  heals: "it is sent as text",
  error: "thinking.signature: Field required",
  problem: "thinking",
  sources: [
    {
      report: "openclaw/openclaw#8664",
    },
    {
      report: "lbjlaq/Antigravity-Manager#270",
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
            type: "thinking",
            thinking: "hm",
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
  faulty: [0, 1, 2],
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
