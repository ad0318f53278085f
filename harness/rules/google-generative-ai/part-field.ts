import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A part with a field that it does not have",
  heals: "the field is left out",
  error: "Cannot find field",
  problem: "block_form",
  sources: [{ report: "Chevey339/kelivo#543" }, { report: "gera2ld/ai.nvim#13" }],
  target: GEMINI,
  refused: [user(text("go")), model({ text: "ok", id: "1" }), user(text("and?"))],
  faulty: [1],
  taken: [user(text("go"))],
} satisfies Card;
