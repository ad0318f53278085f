import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE, BEDROCK_NOVA } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "mixed_turn",
  what: "A video, or a document that is no PDF, beside a `toolResult`",
  heals: 'the assistant says "[The results were received.]" in between',
  where: "Claude",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [{ report: "pydantic/pydantic-ai#6098" }, { report: "pydantic/pydantic-ai#3253" }],
  target: BEDROCK_CLAUDE,
  elsewhere: BEDROCK_NOVA,
  refused: [
    user(text("go")),
    assistant(call("a")),
    user(result("a", text("exit 0")), {
      document: {
        format: "csv",
        name: "d",
        source: {
          bytes: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        },
      },
    }),
  ],
  faulty: [2],
  taken: [
    user(text("go")),
    assistant(call("a")),
    user(result("a", text("exit 0")), {
      document: {
        format: "pdf",
        name: "d",
        source: {
          bytes: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        },
      },
    }),
  ],
} satisfies Card;
