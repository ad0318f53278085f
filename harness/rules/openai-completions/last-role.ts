import type { Card } from "../card.ts";
import { assistant, user } from "../build/chat.ts";
import { MISTRAL, OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "last_role",
  what: "A history that ends with the assistant, without `prefix`",
  heals: "the user goes on",
  where: "Mistral, Perplexity",
  error: "Expected last role User or Tool",
  problem: "role_order",
  sources: [{ report: "NEKOparapa/AiNiee#641" }],
  target: MISTRAL,
  elsewhere: OPENAI,
  refused: [user("go"), assistant("ok")],
  faulty: [],
  taken: [user("go"), assistant("ok", { prefix: true })],
} satisfies Card;
