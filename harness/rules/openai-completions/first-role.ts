import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "first_role",
  what: "A history that begins with the assistant",
  heals: 'the user says "[Start of the available conversation.]"',
  where: "DeepSeek's reasoner, Gemma, Llama 2, Vicuna, Perplexity",
  error: "Conversation roles must alternate",
  problem: "role_order",
  sources: [
    {
      report: "sipeed/picoclaw#207",
      says: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
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
        role: "assistant",
        content: "ok",
      },
      {
        role: "user",
        content: "and?",
      },
    ],
  },
  faulty: [],
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
