import type { Card } from "../card.ts";
import { assistant, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A result marked as an error that is empty",
  heals: '"(no output)"',
  error: "content cannot be empty if `is_error` is true",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#97292" }, { report: "anthropics/claude-agent-sdk-python#248" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant(toolUse("toolu_1", { input: {} })),
    user([{ type: "tool_result", tool_use_id: "toolu_1", content: "", is_error: true }]),
  ],
  faulty: [1, 2],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
