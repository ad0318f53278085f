import type { Card } from "../card.ts";
import { call, model, response, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "function_response_match",
  what: "Responses with other ids than the calls, where both have ids",
  heals: "they get the ids of the calls",
  error: "functionResponse.id does not match functionCall.id",
  problem: "tool_pairing",
  sources: [{ report: "router-for-me/CLIProxyAPI#5199" }],
  target: GEMINI,
  refused: [
    user(text("go")),
    model(call({ id: "a" }), call({ id: "b" })),
    user(response({ id: "a" }), response({ id: "c" })),
  ],
  faulty: [2],
  taken: [
    user(text("go")),
    model(call({ id: "a" }), call({ id: "b" })),
    user(response({ id: "b" }), response({ id: "a" })),
  ],
} satisfies Card;
