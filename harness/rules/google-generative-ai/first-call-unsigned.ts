import type { Card } from "../card.ts";
import { call, model, response, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "thought_signature",
  what: "The first call of a step of the current turn without its signature",
  heals: "it gets Google's placeholder",
  where: "Gemini 3",
  error: "Function call is missing a thought_signature in functionCall parts",
  problem: "thinking",
  sources: [{ report: "openclaw/openclaw#63397" }, { report: "crmne/ruby_llm#521" }],
  target: { ...GEMINI, model: "gemini-3-pro-preview" },
  elsewhere: GEMINI,
  refused: [user(text("go")), model(call()), user(response())],
  faulty: [1],
  taken: [
    user(text("go")),
    model({ functionCall: { name: "exec", args: {} }, thoughtSignature: "c2ln" }),
    user(response()),
  ],
} satisfies Card;
