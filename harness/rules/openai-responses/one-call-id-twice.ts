import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { OPENAI } from "../build/hosts.ts";
import { call, output } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "duplicate_call_id",
  what: "Two calls with the same id",
  heals: "the second call and its output get another id",
  error: "Duplicate function",
  problem: "tool_id",
  sources: [
    {
      report: "NousResearch/hermes-agent#102629",
      says: "Duplicate function_call_output for call_id 'terminal:0'. Each function_call must have exactly one matching function_call_output",
    },
  ],
  target: OPENAI,
  refused: [says("go"), call("call_1"), output("call_1"), call("call_1", { name: "read" }), output("call_1", "exit 1")],
  faulty: [3, 4],
  taken: [says("go"), call("call_1"), output("call_1")],
} satisfies Card;
