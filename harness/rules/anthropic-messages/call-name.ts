import type { Card } from "../card.ts";
import { assistant, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A call without the name of its tool",
  heals: "it is named `unknown_tool`",
  error: "tool_use.name: String should have at least 1 character",
  problem: "tool_fields",
  sources: [{ report: "TanStack/ai#532" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant({ type: "tool_use", id: "toolu_1", name: "", input: {} }),
    user([toolResult("toolu_1", "exit 0")]),
  ],
  faulty: [1],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
