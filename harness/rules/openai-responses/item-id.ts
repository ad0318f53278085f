import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { GROK, OPENAI } from "../build/hosts.ts";
import { call, output } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "invalid_item",
  what: "An item id without the prefix of its type",
  heals: "the id is left out",
  where: "OpenAI",
  error: "Expected an ID that begins with",
  problem: "tool_id",
  sources: [{ report: "nodetool-ai/nodetool#4252" }, { report: "jlcodes99/cockpit-tools#2090" }],
  target: OPENAI,
  elsewhere: GROK,
  refused: [says("go"), call("call_1", { id: "call_1" }), output("call_1")],
  faulty: [1],
  taken: [says("go"), call("call_1", { id: "fc_1" }), output("call_1")],
} satisfies Card;
