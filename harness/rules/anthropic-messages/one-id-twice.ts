import type { Card } from "../card.ts";
import { assistant, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "duplicate_tool_use_id",
  what: "Two calls of one turn with the same id; a later turn may have it again",
  heals: "the second call and its result get another id",
  error: "`tool_use` ids must be unique",
  problem: "tool_id",
  sources: [{ report: "BerriAI/litellm#23510" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant(toolUse("toolu_1", { input: {} }), toolUse("toolu_1", { input: { b: 1 } })),
    user([toolResult("toolu_1", "exit 0"), toolResult("toolu_1", "exit 1")]),
  ],
  faulty: [1, 2],
  taken: [
    user("go"),
    assistant(toolUse("toolu_1", { input: {} })),
    user([toolResult("toolu_1", "exit 0")]),
    assistant(toolUse("toolu_1", { input: {} })),
    user([toolResult("toolu_1", "exit 0")]),
  ],
} satisfies Card;
