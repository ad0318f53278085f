import type { Card } from "../card.ts";
import { assistant, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "empty_message",
  what: "A message without content",
  heals: "it is left out",
  error: "all messages must have non-empty content",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#210" }, { report: "anthropics/claude-code#2196" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant(), user("and?")],
  faulty: [1],
  taken: [user("go"), user("and?")],
} satisfies Card;
