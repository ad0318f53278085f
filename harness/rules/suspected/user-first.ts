import type { SuspectedCard } from "../card.ts";
import { answer, asks, said } from "./messages.ts";

export default {
  api: "openai-completions",
  model: "local-model",
  what: "A history that begins with the assistant, at servers whose chat template has the user begin",
  heals: "the user begins",
  error: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
  problem: "role_order",
  sources: [{ report: "microsoft/autogen#3597" }, { report: "vllm-project/vllm#6862" }],
  messages: [answer(said("a delivered reminder")), asks("one"), answer(said("ok")), asks("two")],
  refuses: (items) => items.find(({ role }) => role === "user" || role === "assistant")?.["role"] === "assistant",
} satisfies SuspectedCard;
