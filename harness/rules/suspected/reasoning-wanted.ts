import type { SuspectedCard } from "../card.ts";
import { answer, asks, calling, result, said } from "./messages.ts";

export default {
  api: "openai-completions",
  model: "my-model",
  what: "With thinking on, calls without their reasoning, at servers of models whose name says nothing",
  heals: "the calls become text",
  error: "The reasoning_content in the thinking mode must be passed back to the API.",
  problem: "thinking",
  sources: [{ report: "openclaw/openclaw#71050" }],
  messages: [
    asks("one"),
    answer(said("I look."), calling("call00001")),
    result("call00001"),
    answer(said("ok")),
    asks("two"),
  ],
  refuses: (items) =>
    items.some(
      ({ tool_calls: calls, reasoning_content: reasoning }) => calls !== undefined && typeof reasoning !== "string",
    ),
} satisfies SuspectedCard;
