import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A signature that is no base64",
  heals: "it is left out",
  error: "Base64 decoding failed",
  problem: "thinking",
  sources: [
    { report: "crmne/ruby_llm#521" },
    { report: "google-gemini/gemini-cli#8011" },
    { report: "MayDay-wpf/snow-cli#84" },
  ],
  target: GEMINI,
  refused: [user(text("go")), model({ text: "ok", thoughtSignature: "a=b=c" }), user(text("and?"))],
  faulty: [1],
  taken: [user(text("go"))],
} satisfies Card;
