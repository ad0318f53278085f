import type { Card } from "../card.ts";
import { assistant, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "last_role",
  what: "A history that ends with the assistant",
  heals: "the user goes on",
  where: "Claude 4.6 and later, and with thinking on",
  error: "This model does not support assistant message prefill.",
  problem: "role_order",
  sources: [{ report: "openclaw/openclaw#54410" }],
  target: { ...BEDROCK_CLAUDE, model: "us.anthropic.claude-opus-4-6-v1" },
  elsewhere: BEDROCK_NOVA,
  refused: [user(text("go")), assistant(text("ok"))],
  faulty: [],
  taken: [user(text("go"))],
} satisfies Card;
