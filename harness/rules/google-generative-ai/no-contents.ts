import type { Card } from "../card.ts";
import { text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "history_empty",
  what: "A history without contents",
  heals: "the user begins",
  error: "contents is not specified",
  problem: "empty_content",
  sources: [
    {
      report: "Calcium-Ion/new-api-horizon#24",
      says: "Unable to submit request because at least one contents field is required.",
    },
  ],
  target: GEMINI,
  refused: [],
  faulty: [],
  taken: [user(text("go"))],
} satisfies Card;
