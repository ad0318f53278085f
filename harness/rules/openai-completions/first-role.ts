import type { Card } from "../card.ts";
import { assistant, user } from "../build/chat.ts";
import { DEEPSEEK_REASONER, OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "first_role",
  what: "A history that begins with the assistant",
  heals: "the user begins",
  where: "DeepSeek's reasoner, Gemma, Llama 2, Vicuna, Perplexity",
  error: "Conversation roles must alternate",
  problem: "role_order",
  sources: [
    {
      report: "sipeed/picoclaw#207",
      says: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
    },
  ],
  target: DEEPSEEK_REASONER,
  elsewhere: OPENAI,
  refused: [assistant("ok"), user("and?")],
  faulty: [],
  taken: [user("go"), assistant("ok"), user("and?")],
} satisfies Card;
