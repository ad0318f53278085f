import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "Blank text; beside other content only a text of no length",
  heals: "it is left out",
  error: "is blank. Add text to the text field",
  problem: "empty_content",
  sources: [{ report: "openclaw/openclaw#72899" }],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(text(" "), call("a")), user(result("a", text("exit 0")))],
  faulty: [1],
  taken: [user(text("go")), assistant(call("a")), user(result("a", text("exit 0")))],
} satisfies Card;
