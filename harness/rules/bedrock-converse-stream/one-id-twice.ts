import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "duplicate_tool_use_id",
  what: "Two calls with the same id",
  heals: "the second call and its result get another id",
  error: "duplicate Ids",
  problem: "tool_id",
  sources: [{ report: "kirodotdev/Kiro#9355" }, { report: "BerriAI/litellm#20049" }],
  target: BEDROCK_CLAUDE,
  refused: [
    user(text("go")),
    assistant(call("a"), call("a", { input: { b: 1 } })),
    user(result("a", text("exit 0")), result("a", text("exit 1"))),
  ],
  faulty: [1, 2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
