import type { Card } from "../card.ts";
import { assistant, call, result, user } from "../build/chat.ts";
import { KIMI, OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "A message without content, or of blank text; the assistant's beside calls is taken",
  where: "all but OpenAI, where the user may say nothing",
  heals: "it is left out",
  error: "must not be empty",
  problem: "empty_content",
  sources: [{ report: "MoonshotAI/kimi-code#1985" }, { report: "AstrBotDevs/AstrBot#7200" }],
  target: KIMI,
  elsewhere: OPENAI,
  refused: [user("go"), assistant("ok"), user(" ")],
  faulty: [2],
  taken: [user("go"), assistant(" ", { tool_calls: [call("call_1")] }), result("call_1")],
} satisfies Card;
