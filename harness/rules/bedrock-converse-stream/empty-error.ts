import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "A result with status `error` that is empty",
  heals: '"(no output)"',
  error: "cannot be empty when status value is error",
  problem: "tool_fields",
  sources: [{ report: "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15" }],
  target: BEDROCK_CLAUDE,
  refused: [
    user(text("go")),
    assistant(call("a")),
    user({ toolResult: { toolUseId: "a", content: [], status: "error" } }),
  ],
  faulty: [1, 2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
