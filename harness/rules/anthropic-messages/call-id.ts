import type { Card } from "../card.ts";
import { assistant, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "An id of a call with other characters than letters, digits, `_` and `-`",
  heals: "call and result get another id",
  error: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  problem: "tool_id",
  sources: [
    { report: "openclaw/openclaw#12277" },
    { report: "tailcallhq/forgecode#1142" },
    { report: "CommandCodeAI/command-code#323" },
  ],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant(toolUse("functions.exec:0", { input: {} })),
    user([toolResult("functions.exec:0", "exit 0")]),
  ],
  faulty: [1, 2],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
