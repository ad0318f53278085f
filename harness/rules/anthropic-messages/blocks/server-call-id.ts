import type { Card } from "../../card.ts";
import { assistant, serverCall, serverResult, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "An id of a server's call that Anthropic's server did not make",
  heals: "the pair is sent as text",
  where: "Claude",
  error: "server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  problem: "tool_id",
  sources: [{ report: "betmoar/cc-proxy-plugin#67" }],
  target: ANTHROPIC,
  elsewhere: { host: "api.z.ai", model: "glm-4.6" },
  refused: [
    user("go"),
    assistant(
      serverCall("1", "web_search", { id: "call_1" }),
      { ...serverResult("1", []), tool_use_id: "call_1" },
      text("ok"),
    ),
    user("and?"),
  ],
  faulty: [1],
  taken: [user("go"), assistant(serverCall("1"), serverResult("1", []), text("ok")), user("and?")],
} satisfies Card;
