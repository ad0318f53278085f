import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "role_order",
  what: "Two messages of one role in a row",
  heals: 'they are joined, or the user says "[Please continue.]"',
  where: "DeepSeek's reasoner, Gemma, Llama 2, Vicuna, Perplexity",
  error: "Conversation roles must alternate",
  problem: "role_order",
  sources: [
    {
      report: "openclaw/openclaw#6655",
    },
    {
      report: "microsoft/autogen#1037",
    },
  ],
  target: {
    host: "api.deepseek.com",
    model: "deepseek-reasoner",
  },
  elsewhere: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  refused: {
    model: "deepseek-reasoner",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
  faulty: [0, 1],
  taken: {
    model: "deepseek-reasoner",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: "ok",
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
} satisfies Card;
