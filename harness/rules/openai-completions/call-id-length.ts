import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI, OPENROUTER } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "An id of a call with more than 40 characters",
  heals: "call and result get another id",
  where: "OpenAI's models and servers",
  error: "string too long. Expected a string with maximum length 40",
  problem: "tool_id",
  sources: [{ report: "openclaw/openclaw#875" }, { report: "BerriAI/litellm#17343" }],
  target: OPENAI,
  elsewhere: OPENROUTER,
  refused: [
    user("go"),
    calls(call("cccccccccccccccccccccccccccccccccccccccccccccccccc")),
    result("cccccccccccccccccccccccccccccccccccccccccccccccccc"),
  ],
  faulty: [1, 2],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
