import type { SuspectedCard } from "../card.ts";
import { answer, asks, said } from "./messages.ts";

export default {
  api: "openai-completions",
  model: "local-model",
  what: "Two messages of one role in a row, at servers whose chat template takes turns only",
  heals: "neighbours of one role are joined",
  error: "Conversation roles must alternate user/assistant/user/assistant/...",
  problem: "role_order",
  sources: [{ report: "microsoft/autogen#1037" }],
  messages: [asks("one"), asks("two"), answer(said("ok")), asks("three")],
  refuses: (items) => {
    const spoken = items.filter(({ role }) => role === "user" || role === "assistant");
    return spoken.some(({ role }, at) => role === spoken[at - 1]?.["role"]);
  },
} satisfies SuspectedCard;
