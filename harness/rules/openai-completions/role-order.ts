import type { Card } from "../card.ts";
import { assistant, user } from "../build/chat.ts";
import { DEEPSEEK_REASONER, OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "role_order",
  what: "Two messages of one role in a row",
  heals: "they are joined, or the user goes on",
  where: "DeepSeek's reasoner, Gemma, Llama 2, Vicuna, Perplexity",
  error: "Conversation roles must alternate",
  problem: "role_order",
  sources: [{ report: "openclaw/openclaw#6655" }, { report: "microsoft/autogen#1037" }],
  target: DEEPSEEK_REASONER,
  elsewhere: OPENAI,
  refused: [user("go"), user("and?")],
  faulty: [0, 1],
  taken: [user("go"), assistant("ok"), user("and?")],
} satisfies Card;
