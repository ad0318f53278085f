import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "blank_text",
  what: "A message of blank text",
  heals: "it is left out",
  error: "text content blocks must",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#73472" }, { report: "anthropics/claude-code#53054" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant(text("ok")), user(" ")],
  faulty: [2],
  taken: [user("go"), assistant(text("ok")), user("and?")],
} satisfies Card;
