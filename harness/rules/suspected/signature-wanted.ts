import type { Json, SuspectedCard } from "../card.ts";
import { answer, asks, calling, result, said } from "./messages.ts";

export default {
  api: "google-generative-ai",
  model: "gemini-flash-latest",
  what: "Calls without a signature, under a name that does not tell the model",
  heals: "the calls become text",
  error:
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.",
  problem: "thinking",
  sources: [{ report: "openclaw/openclaw#63397" }],
  messages: [asks("one"), answer(said("I look."), calling("call00001")), result("call00001")],
  refuses: (items) =>
    items.some(({ parts }) =>
      (parts as Json[]).some(
        ({ functionCall, thoughtSignature }) => functionCall !== undefined && thoughtSignature === undefined,
      ),
    ),
} satisfies SuspectedCard;
