import type { Card } from "../../card.ts";
import { assistant, serverCall, serverResult, toolResult, toolUse, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "tool_use_order",
  what: "A client's call before a block of a server's tool in one message",
  heals: "the call is moved to the end, the rest keeps its order",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [{ report: "vercel/ai#13013" }, { report: "anthropics/anthropic-sdk-typescript#841" }],
  target: ANTHROPIC,
  refused: [
    user("go"),
    assistant(toolUse("toolu_1", { input: {} }), serverCall("1"), serverResult("1", [])),
    user([toolResult("toolu_1", "exit 0")]),
  ],
  faulty: [1],
  taken: [
    user("go"),
    assistant(serverCall("1"), serverResult("1", []), toolUse("toolu_1", { input: {} })),
    user([toolResult("toolu_1", "exit 0")]),
  ],
} satisfies Card;
