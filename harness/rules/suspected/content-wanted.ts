import type { SuspectedCard } from "../card.ts";
import { answer, asks, calling, result, said } from "./messages.ts";

export default {
  api: "openai-completions",
  model: "local-model",
  what: "A call without words beside it, whose content is null",
  heals: "the call becomes text",
  error:
    "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2.content' : value must be a string)]",
  problem: "block_form",
  sources: [{ report: "tidyverse/ellmer#162" }],
  messages: [asks("one"), answer(calling("call00001")), result("call00001"), answer(said("ok")), asks("two")],
  refuses: (items) =>
    items.some(({ role, content }) => role === "assistant" && (content === null || content === undefined)),
} satisfies SuspectedCard;
