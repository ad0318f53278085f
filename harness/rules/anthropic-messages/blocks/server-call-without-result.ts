import type { Card } from "../../card.ts";
import { assistant, serverCall, serverResult, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "missing_server_result",
  what: "A call of a server's tool without its result; beside a client's call it may still wait, and a paused turn ends with it",
  heals: "the call is sent as text",
  error: "was found without a corresponding",
  problem: "tool_pairing",
  sources: [{ report: "langchain-ai/langchainjs#11407" }, { report: "anthropics/anthropic-sdk-typescript#841" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant(serverCall("1"), text("ok")), user("and?")],
  faulty: [1],
  taken: [user("go"), assistant(serverCall("1"), serverResult("1", []), text("ok")), user("and?")],
} satisfies Card;
