import type { Card } from "../card.ts";
import { assistant, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "missing_tool_result",
  what: "A call without a result in the message behind it",
  heals: "a result says that the outcome is unknown",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [{ report: "anthropics/claude-code#1831" }, { report: "openclaw/openclaw#13704" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user("and?")],
  faulty: [],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
