import type { Card } from "../card.ts";
import { assistant, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "Reasoning without its signature",
  heals: "it is sent as text",
  where: "Claude",
  error: "thinking.signature: Field required",
  problem: "thinking",
  sources: [{ report: "maximhq/bifrost#6624" }, { report: "maximhq/bifrost#6942" }],
  target: BEDROCK_CLAUDE,
  elsewhere: BEDROCK_NOVA,
  refused: [
    user(text("go")),
    assistant({ reasoningContent: { reasoningText: text("hm") } }, text("ok")),
    user(text("and?")),
  ],
  faulty: [1],
  taken: [user(text("go")), assistant(text("ok")), user(text("and?"))],
} satisfies Card;
