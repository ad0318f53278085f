import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "history_empty",
  what: "A history without messages",
  heals: "the user begins",
  error: "Invalid 'messages': empty array",
  problem: "empty_content",
  sources: [{ report: "CopilotKit/CopilotKit#529" }],
  target: OPENAI,
  refused: [],
  faulty: [],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
