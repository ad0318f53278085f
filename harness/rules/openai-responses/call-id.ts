import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { OPENAI } from "../build/hosts.ts";
import { call, output } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "invalid_item",
  what: "A call without an id",
  heals: "call and output get one",
  error: "call_id': empty string",
  problem: "tool_id",
  sources: [{ report: "openclaw/openclaw#27178" }],
  target: OPENAI,
  refused: [says("go"), call(""), output("")],
  faulty: [1, 2],
  taken: [says("go"), call("call_1"), output("call_1")],
} satisfies Card;
