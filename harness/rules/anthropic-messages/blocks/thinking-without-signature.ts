import type { Card } from "../../card.ts";
import { assistant, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "Thinking without its signature",
  heals: "it is sent as text, said to be thinking",
  error: "thinking.signature: Field required",
  problem: "thinking",
  sources: [{ report: "openclaw/openclaw#8664" }, { report: "lbjlaq/Antigravity-Manager#270" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant({ type: "thinking", thinking: "hm" }, text("ok")), user("and?")],
  faulty: [1],
  taken: [user("go"), assistant(text("ok")), user("and?")],
} satisfies Card;
