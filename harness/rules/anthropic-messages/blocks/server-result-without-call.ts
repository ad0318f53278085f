import type { Card } from "../../card.ts";
import { assistant, serverCall, serverResult, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "unexpected_server_result",
  what: "A result of a server's tool whose call is not before it",
  heals: "it moves behind its call if one id names one call and one result, else it is sent as text",
  error: "must have a corresponding `server_tool_use` block before it",
  problem: "tool_pairing",
  sources: [
    { report: "anthropics/claude-code#95406" },
    { report: "anthropics/claude-code#92611" },
    { report: "anthropics/claude-code#64383" },
  ],
  target: ANTHROPIC,
  refused: [user("go"), assistant(serverResult("1", []), text("ok")), user("and?")],
  faulty: [1],
  taken: [user("go"), assistant(serverCall("1"), serverResult("1", []), text("ok")), user("and?")],
} satisfies Card;
