import type { Card } from "../card.ts";
import { call, model, response, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "invalid_part",
  what: "A response without a name",
  heals: "it gets the name of its call",
  error: "function_response.name: Name cannot be empty",
  problem: "tool_fields",
  sources: [{ report: "langflow-ai/langflow#9437" }, { report: "router-for-me/CLIProxyAPI#1903" }],
  target: GEMINI,
  refused: [user(text("go")), model(call()), user(response({ name: "" }))],
  faulty: [2],
  taken: [user(text("go")), model(call()), user(response())],
} satisfies Card;
