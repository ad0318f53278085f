import type { Card } from "../card.ts";
import { assistant, call, result, text, user } from "../build/bedrock.ts";
import { BEDROCK_CLAUDE } from "../build/hosts.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "The `json` of a result that is no object",
  heals: "it is sent as text",
  error: "json is invalid. Provide a json object for the field and try again",
  problem: "tool_fields",
  sources: [
    { report: "aws/aws-sdk-js-v3#7330" },
    { report: "deepset-ai/haystack-core-integrations#3766" },
    { report: "sigoden/aichat#1550" },
  ],
  target: BEDROCK_CLAUDE,
  refused: [user(text("go")), assistant(call("a")), user(result("a", { json: ["a.txt"] }))],
  faulty: [2],
  taken: [user(text("go")), assistant(call("a")), user(result("a", { json: { a: 1 } }))],
  mustReach: ["a.txt"],
} satisfies Card;
