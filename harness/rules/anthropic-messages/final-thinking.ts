import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "final_thinking",
  what: "Thinking at the end of a message",
  heals: "a call of the message comes last, else a text says that the answer was cut off",
  error: "The final block in an assistant message cannot be `thinking`",
  problem: "thinking",
  sources: [
    { report: "tailcallhq/forgecode#2107" },
    { report: "tailcallhq/forgecode#3071" },
    { report: "router-for-me/CLIProxyAPI#5321" },
  ],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant({
      type: "thinking",
      thinking: "hm",
      signature:
        "EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM+NECy50y44F/kD4SULFXi57buI9fAvyBwtyjlOiO0SDE3+r3spdg6PLOo9PBoMma2ku5OTAoR46j9VIjDRlvNmBvff7YW4WI9oU8XagaOBSxLPxElrhyuxppEn7m6bfT40dqBSTDrfiw4FYB4qEPETTI6TA6wtjGAAqmFqKTo=",
    }),
    user("and?"),
  ],
  faulty: [1],
  taken: [
    user("go"),
    assistant(
      {
        type: "thinking",
        thinking: "hm",
        signature:
          "EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM+NECy50y44F/kD4SULFXi57buI9fAvyBwtyjlOiO0SDE3+r3spdg6PLOo9PBoMma2ku5OTAoR46j9VIjDRlvNmBvff7YW4WI9oU8XagaOBSxLPxElrhyuxppEn7m6bfT40dqBSTDrfiw4FYB4qEPETTI6TA6wtjGAAqmFqKTo=",
      },
      text("ok"),
    ),
    user("and?"),
  ],
} satisfies Card;
