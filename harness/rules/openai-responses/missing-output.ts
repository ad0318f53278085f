import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { OPENAI } from "../build/hosts.ts";
import { call, output } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "missing_output",
  what: "A call without an output of its type",
  heals: "an output of the call's type says that the outcome is unknown",
  error: "No tool output found for",
  problem: "tool_pairing",
  sources: [
    { report: "router-for-me/CLIProxyAPI#2368" },
    { report: "openai/openai-agents-python#1855" },
    { report: "diegosouzapw/OmniRoute#8946" },
  ],
  target: OPENAI,
  refused: [says("go"), call("call_1"), says("and?")],
  faulty: [],
  taken: [says("go"), call("call_1"), output("call_1")],
} satisfies Card;
