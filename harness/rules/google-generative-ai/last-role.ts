import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "last_role",
  what: "A history that ends with the model",
  heals: "the user goes on",
  error: "Please ensure that multiturn requests end",
  problem: "role_order",
  sources: [
    {
      report: "songquanpeng/one-api#836",
      says: "Please ensure that multiturn requests ends with a user role or a function response",
    },
    { report: "babaohuang/GeminiProChat#68" },
    { report: "microsoft/semantic-kernel#13288" },
  ],
  target: GEMINI,
  refused: [user(text("go")), model(text("ok"))],
  faulty: [],
  taken: [user(text("go"))],
} satisfies Card;
