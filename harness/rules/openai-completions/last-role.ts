import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "last_role",
  what: "A history that ends with the assistant, without `prefix`",
  heals: 'the user says "[Please continue.]"',
  where: "Mistral, Perplexity",
  error: "Expected last role User or Tool",
  problem: "role_order",
  sources: [
    {
      report: "NEKOparapa/AiNiee#641",
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
        content: "ok",
      },
    ],
  },
  faulty: [],
  taken: {
    model: "mistral-large-latest",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: "ok",
        prefix: true,
      },
    ],
  },
} satisfies Card;
