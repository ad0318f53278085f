import type { Card } from "../card.ts";
import { assistant, text, toolResult, toolUse, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "role",
  what: "Messages of the role `system` between the others",
  heals: "they become the user's",
  where: "Claude 4.7 and earlier",
  error: 'Unexpected role "system"',
  problem: "role_order",
  sources: [
    { report: "sgl-project/sglang#367" },
    { report: "Maol-1997/cursor-claude-connector#3" },
    { report: "aaronrussell/anthropix#2" },
  ],
  target: { ...ANTHROPIC, model: "claude-haiku-4-5" },
  elsewhere: { ...ANTHROPIC, model: "claude-opus-4-8" },
  refused: [user("go"), assistant(text("ok")), { role: "system", content: "Be brief." }, user("and?")],
  faulty: [2],
  taken: [user("go"), assistant(toolUse("toolu_1", { input: {} })), user([toolResult("toolu_1", "exit 0")])],
} satisfies Card;
