import type { Card } from "../../card.ts";
import { assistant, toolResult, toolUse, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A block with a field that its type does not have",
  heals: "the field is left out",
  error: "Extra inputs are not permitted",
  problem: "tool_fields",
  sources: [{ report: "anthropics/claude-code#4378" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant(toolUse("toolu_1", { input: {}, text: "" })),
    user([toolResult("toolu_1", "exit 0")]),
  ],
  faulty: [1, 2],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
