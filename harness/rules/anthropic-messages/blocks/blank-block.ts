import type { Card } from "../../card.ts";
import { assistant, text, toolResult, toolUse, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A blank text block; the assistant's beside a server's tool is taken",
  heals: "it is left out, its cache mark moves to the block before",
  error: "text content blocks must be non-empty",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#73472" }, { report: "anthropics/claude-code#53054" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant(text(""), toolUse("toolu_1", { input: {} })),
    user([toolResult("toolu_1", "exit 0")]),
  ],
  faulty: [1],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
