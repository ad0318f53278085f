import type { Card } from "../../card.ts";
import { assistant, text, user } from "../../../corpus/bodies/case.ts";
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
  refused: [
    user("go"),
    assistant({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } }, text("ok")),
    user("and?"),
  ],
  faulty: [1],
  taken: [
    user("go"),
    assistant(
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      text("ok"),
    ),
    user("and?"),
  ],
} satisfies Card;
