import type { Card } from "../card.ts";

export default {
  api: "anthropic-messages",
  rule: "lone_surrogate",
  what: "Half of a character of two halves, as a text cut in the middle of a picture sign has it; on each API",
  heals: "U+FFFD stands in its place",
  error: "no low surrogate in string",
  problem: "block_form",
  sources: [
    {
      report: "anthropics/claude-code#3277",
    },
    {
      report: "anthropics/claude-code#60394",
    },
    {
      report: "link-assistant/hive-mind#1324",
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
        content: "\ud83e",
      },
    ],
  },
  faulty: [0],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "ok",
      },
    ],
  },
} satisfies Card;
