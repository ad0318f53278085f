import type { Card } from "../card.ts";
import { assistant, text, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "unexpected_tool_result",
  what: "A result without its call in the message before",
  heals: "it gets a placeholder call",
  error: "unexpected `tool_use_id` found in `tool_result` blocks",
  problem: "tool_pairing",
  sources: [{ report: "openclaw/openclaw#4650" }, { report: "anthropics/claude-code#13460" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant(text("ok")), user([toolResult("toolu_1", "exit 0")])],
  faulty: [],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
