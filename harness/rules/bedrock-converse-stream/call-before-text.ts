import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "text_behind_call",
  what: "A call before a text in one message; known of Claude on its own API, and of Bedrock without its words",
  heals: "the call is moved to the end",
  where: "Claude",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      recording:
        "anomalyco/opencode: packages/llm/test/fixtures/recordings/anthropic-messages/rejects-malformed-assistant-tool-order-without-patch.json",
    },
    { report: "evalstate/fast-agent#667" },
  ],
  target: BEDROCK_CLAUDE,
  elsewhere: BEDROCK_NOVA,
  refused: [user(text("go")), assistant(call("a"), text("I look.")), user(result("a", text("exit 0")))],
  faulty: [1],
  taken: [user(text("go")), assistant(text("I look."), call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
