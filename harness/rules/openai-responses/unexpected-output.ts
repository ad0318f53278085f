import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { OPENAI } from "../build/hosts.ts";
import { call, output } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "unexpected_output",
  what: "An output without its call before it, unless an `item_reference` may stand for it",
  heals: "it gets a placeholder call",
  error: "No tool call found for function call output",
  problem: "tool_pairing",
  sources: [
    { report: "openclaw/openclaw#24649" },
    { report: "continuedev/continue#10092" },
    { report: "can1357/oh-my-pi#106" },
  ],
  target: OPENAI,
  refused: [says("go"), output("call_1"), says("and?")],
  faulty: [],
  taken: [says("go"), call("call_1"), output("call_1")],
} satisfies Card;
