import type { Card } from "../card.ts";
import { user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "history_empty",
  what: "A history without messages",
  heals: "the user begins",
  error: "at least one message is required",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#76829" }, { report: "decolua/9router#2986" }],
  target: ANTHROPIC,
  refused: [],
  faulty: [],
  taken: [user("go")],
} satisfies Card;
