import type { Card } from "../../card.ts";
import { assistant, text, toolResult, toolUse, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC, KIMI } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "tool_use_order",
  what: "A client's call before a text in one message",
  heals: "the call is moved to the end",
  where: "Claude",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      recording:
        "anomalyco/opencode: packages/llm/test/fixtures/recordings/anthropic-messages/rejects-malformed-assistant-tool-order-without-patch.json",
    },
  ],
  target: ANTHROPIC,
  elsewhere: KIMI,
  refused: [
    user("go"),
    assistant(toolUse("toolu_1", { input: {} }), text("I look.")),
    user([toolResult("toolu_1", "exit 0")]),
  ],
  faulty: [1],
  taken: [
    user("go"),
    assistant(text("I look."), toolUse("toolu_1", { input: {} })),
    user([toolResult("toolu_1", "exit 0")]),
  ],
} satisfies Card;
