import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_LLAMA, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "mixed_turn",
  what: "Anything beside a `toolResult`",
  heals: 'the assistant says "[The results were received.]" in between',
  where: "Llama and Mistral",
  error: "Conversation blocks and tool result blocks cannot be provided in the same turn",
  problem: "tool_pairing",
  sources: [
    { report: "pydantic/pydantic-ai#6098" },
    { report: "BerriAI/litellm#6053" },
    { report: "browser-use/browser-use#710" },
    { report: "langchain-ai/langchain-aws#141" },
  ],
  target: BEDROCK_LLAMA,
  elsewhere: BEDROCK_NOVA,
  refused: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")), text("and?"))],
  faulty: [2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
