import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "first_role",
  what: "A history that begins with the model",
  heals: "the user begins",
  error: "multiturn requests",
  problem: "role_order",
  sources: [
    {
      report: "microsoft/autogen#2900",
      says: "Please ensure that multiturn requests alternate between user and model.",
    },
  ],
  target: GEMINI,
  refused: [model(text("ok")), user(text("and?"))],
  faulty: [],
  taken: [user(text("go"))],
} satisfies Card;
