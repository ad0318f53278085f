import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { MISTRAL } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "role_order",
  what: "A message of the user's behind a tool's",
  heals: 'the assistant says "[The tool results were received.]" in between',
  where: "Mistral, but not mistral-small",
  error: "Unexpected role 'user' after role 'tool'",
  problem: "role_order",
  sources: [{ report: "openclaw/openclaw#33177" }, { report: "yetone/avante.nvim#2562" }],
  target: MISTRAL,
  elsewhere: { ...MISTRAL, model: "mistral-small-latest" },
  refused: [user("go"), calls(call("abcdefghi")), result("abcdefghi"), user("and?")],
  faulty: [2, 3],
  taken: [user("go"), calls(call("abcdefghi")), result("abcdefghi")],
} satisfies Card;
