import type { SuspectedCard } from "../card.ts";
import { answer, asks, calling, result, said } from "./messages.ts";

export default {
  api: "openai-responses",
  model: "local-model",
  what: "Anything between calls and their outputs, at servers that look for outputs right behind",
  heals: "the calls become text",
  error: "No tool output found for tool call call00001.",
  problem: "tool_pairing",
  sources: [{ report: "deepseek-ai/awesome-deepseek-integration#740" }],
  messages: [
    asks("one"),
    answer(calling("call00001"), said("and"), calling("call00002")),
    result("call00001"),
    result("call00002"),
    answer(said("ok")),
    asks("two"),
  ],
  refuses: (items) =>
    items.some(
      ({ type }, at) => type === "function_call" && !String(items[at + 1]?.["type"]).startsWith("function_call"),
    ),
} satisfies SuspectedCard;
