import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "role",
  what: "A message of another role",
  heals: "it becomes the user's, a result stays a result",
  error: 'Unexpected role "',
  problem: "role_order",
  sources: [
    { report: "ogx-ai/ogx#5982", says: "messages.1.role: Input should be 'user' or 'assistant'" },
    {
      report: "sgl-project/sglang#367",
      says: 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    },
  ],
  target: ANTHROPIC,
  refused: [user("go"), assistant(text("ok")), { role: "critic", content: "no" }],
  faulty: [2],
  taken: [user("go"), assistant(text("ok")), user("no")],
} satisfies Card;
