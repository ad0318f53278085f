import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { MISTRAL, OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "An id of a call that is not nine letters or digits",
  heals: "call and result get another id",
  where: "Mistral",
  error: "but must be a-z, A-Z, 0-9, with a length of 9",
  problem: "tool_id",
  sources: [{ report: "openclaw/openclaw#52548" }],
  target: MISTRAL,
  elsewhere: OPENAI,
  refused: [user("go"), calls(call("call_1")), result("call_1")],
  faulty: [1, 2],
  taken: [user("go"), calls(call("abcdefghi")), result("abcdefghi")],
} satisfies Card;
