import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "first_role",
  what: "A history that begins with the assistant",
  heals: "the user begins",
  where: "Claude 3.5 and earlier",
  error: 'first message must use the "user" role',
  problem: "role_order",
  sources: [{ report: "lobehub/lobehub#1601" }, { report: "tonyljx/TextWordExplain#2" }],
  target: { ...ANTHROPIC, model: "claude-3-5-sonnet-20241022" },
  elsewhere: ANTHROPIC,
  refused: [assistant(text("ok")), user("and?")],
  faulty: [],
  taken: [user("go"), assistant(text("ok")), user("and?")],
} satisfies Card;
