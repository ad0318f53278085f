import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "last_role",
  what: "A history that ends with the assistant",
  heals: "the user goes on",
  where: "Claude 4.6 and later, and with thinking on",
  error: "This model does not support assistant message prefill.",
  problem: "role_order",
  sources: [{ report: "openclaw/openclaw#54410" }],
  target: { ...ANTHROPIC, model: "claude-opus-4-6" },
  elsewhere: ANTHROPIC,
  refused: [user("go"), assistant(text("ok"))],
  faulty: [],
  taken: [user("go"), assistant(text("ok")), user("and?")],
} satisfies Card;
