import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "message_field",
  what: "A message with a field that the API does not have",
  heals: "the field is left out",
  error: "Extra inputs are not permitted",
  problem: "thinking",
  sources: [{ report: "RooCodeInc/Roo-Code#11429" }],
  target: ANTHROPIC,
  refused: [user("go"), { role: "assistant", content: [text("ok")], reasoning_details: [] }, user("and?")],
  faulty: [1],
  taken: [user("go"), assistant(text("ok")), user("and?")],
} satisfies Card;
