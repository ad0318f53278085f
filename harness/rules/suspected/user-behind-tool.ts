import type { SuspectedCard } from "../card.ts";
import { answer, asks, calling, result } from "./messages.ts";

export default {
  api: "openai-completions",
  model: "local-model",
  what: "A message of the user's behind a tool's, at servers of Mistral's templates",
  heals: "the assistant says a word in between",
  error: "Unexpected role 'user' after role 'tool'",
  problem: "role_order",
  sources: [{ report: "yetone/avante.nvim#2562" }, { report: "nicholasgriffintn/ai-platform#414" }],
  messages: [asks("one"), answer(calling("call00001")), result("call00001"), asks("two")],
  refuses: (items) => items.some(({ role }, at) => role === "user" && items[at - 1]?.["role"] === "tool"),
} satisfies SuspectedCard;
