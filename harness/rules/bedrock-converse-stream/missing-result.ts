import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "missing_tool_result",
  what: "A call without a result in the message behind it",
  heals: "a result says that the outcome is unknown",
  error: "Expected toolResult blocks at messages.2.content for the following Ids",
  problem: "tool_pairing",
  sources: [{ report: "camel-ai/camel#3954" }, { report: "agno-agi/agno#6698" }],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(call("a")), user(text("and?"))],
  faulty: [2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
