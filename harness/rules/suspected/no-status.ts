import type { SuspectedCard } from "../card.ts";
import { answer, asks, said } from "./messages.ts";

export default {
  api: "openai-responses",
  model: "local-model",
  what: "The `status` of items, at servers that take only what a client may say",
  heals: "the history is sent as one text",
  error: "Unknown parameter: 'input[2].status'.",
  problem: "block_form",
  sources: [{ report: "earendil-works/pi#7263" }, { report: "can1357/oh-my-pi#6513" }],
  messages: [asks("one"), answer(said("ok")), asks("two")],
  refuses: (items) => items.some(({ status }) => status !== undefined),
} satisfies SuspectedCard;
