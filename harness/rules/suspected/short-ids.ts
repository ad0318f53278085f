import type { SuspectedCard } from "../card.ts";
import { answer, asks, calling, result, said } from "./messages.ts";

export default {
  api: "openai-completions",
  model: "claude-by-proxy",
  what: "Ids of more than 40 characters, at servers that pass requests on to OpenAI",
  heals: "the calls become text",
  error:
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 50 instead.",
  problem: "tool_id",
  sources: [{ report: "BerriAI/litellm#17343" }],
  messages: [
    asks("one"),
    answer(said("I look."), calling("c".repeat(50))),
    result("c".repeat(50)),
    answer(said("ok")),
    asks("two"),
  ],
  refuses: (items) => JSON.stringify(items).includes("c".repeat(41)),
} satisfies SuspectedCard;
