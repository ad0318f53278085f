import type { Card } from "../card.ts";
import { call, model, response, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "function_response_count",
  what: "Another number of responses than of calls",
  heals: "a response says that the outcome is unknown, or gets a placeholder call",
  error: "number of function response parts is equal to the number of function call parts",
  problem: "tool_pairing",
  sources: [{ report: "google-gemini/gemini-cli#4504" }, { report: "microsoft/vscode#299295" }],
  target: GEMINI,
  refused: [user(text("go")), model(call(), call()), user(response())],
  faulty: [0, 1, 2],
  taken: [user(text("go")), model(call()), user(response())],
} satisfies Card;
