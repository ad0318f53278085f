import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "empty_message",
  what: "A content without parts",
  heals: "it is left out",
  error: "contents.parts must not be empty",
  problem: "empty_content",
  sources: [{ report: "egoist/chatwise-releases#250" }],
  target: GEMINI,
  refused: [user(text("go")), model(), user(text("and?"))],
  faulty: [1],
  taken: [user(text("go"))],
} satisfies Card;
