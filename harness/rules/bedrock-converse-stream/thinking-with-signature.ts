import type { Card } from "../card.ts";
import { assistant, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "Reasoning with a signature",
  heals: "the signature is left out",
  where: "all but Claude",
  error: "This model doesn't support the reasoningContent.reasoningText.signature field",
  problem: "thinking",
  sources: [{ report: "earendil-works/pi#686" }, { report: "strands-agents/harness-sdk#682" }],
  target: BEDROCK_NOVA,
  elsewhere: BEDROCK_CLAUDE,
  refused: [
    user(text("go")),
    assistant(
      {
        reasoningContent: {
          reasoningText: {
            text: "hm",
            signature:
              "EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM+NECy50y44F/kD4SULFXi57buI9fAvyBwtyjlOiO0SDE3+r3spdg6PLOo9PBoMma2ku5OTAoR46j9VIjDRlvNmBvff7YW4WI9oU8XagaOBSxLPxElrhyuxppEn7m6bfT40dqBSTDrfiw4FYB4qEPETTI6TA6wtjGAAqmFqKTo=",
          },
        },
      },
      text("ok"),
    ),
    user(text("and?")),
  ],
  faulty: [1],
  taken: [
    user(text("go")),
    assistant({ reasoningContent: { reasoningText: text("hm") } }, text("ok")),
    user(text("and?")),
  ],
} satisfies Card;
