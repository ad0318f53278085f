import type { Json, SuspectedCard } from "../card.ts";
import { answer, asks, calling, result, said } from "./messages.ts";

export default {
  api: "bedrock-converse-stream",
  model: "arn:aws:bedrock:us-east-1:1:application-inference-profile/a",
  what: "Anything beside a `toolResult`, under a name that does not tell the model",
  heals: "the calls become text",
  error: "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
  problem: "tool_pairing",
  sources: [{ report: "langchain-ai/langchain-aws#141" }],
  messages: [asks("one"), answer(said("I look."), calling("call00001")), result("call00001"), asks("two")],
  refuses: (items) =>
    items.some(({ content }) => {
      const blocks = content as Json[];
      return (
        blocks.some((block) => block["toolResult"] !== undefined) && blocks.some((block) => block["text"] !== undefined)
      );
    }),
} satisfies SuspectedCard;
