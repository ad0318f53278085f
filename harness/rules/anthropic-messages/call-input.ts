import type { Card } from "../card.ts";
import { assistant, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A call without its input, or with one that is no object",
  heals: "the input becomes an object",
  error: "tool_use.input: ",
  problem: "tool_fields",
  sources: [{ report: "openclaw/openclaw#5048", says: "messages.109.content.1.tool_use.input: Field required" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant({ type: "tool_use", id: "toolu_1", name: "exec" }),
    user([toolResult("toolu_1", "exit 0")]),
  ],
  faulty: [1],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
