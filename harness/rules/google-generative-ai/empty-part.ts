import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A part without data, signature or a word on a video",
  heals: "it is left out",
  error: "required oneof field 'data' must have one initialized field",
  problem: "empty_content",
  sources: [{ report: "54xzh/FLIT#69" }],
  target: GEMINI,
  refused: [user(text("go")), model({}, text("ok")), user(text("and?"))],
  faulty: [1],
  taken: [user(text("go"))],
} satisfies Card;
