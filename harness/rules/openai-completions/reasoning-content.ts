import type { Card } from "../card.ts";
import { assistant, call, calls, result, user } from "../build/chat.ts";
import { DEEPSEEK_REASONER, OPENAI } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "reasoning_content",
  what: "With thinking on, calls without the reasoning that led to them",
  heals: "the reasoning is said to be empty",
  where: "DeepSeek, Kimi, MiMo",
  error: "The reasoning_content in the thinking mode must be passed back to the API",
  problem: "thinking",
  sources: [
    { report: "openclaw/openclaw#71050" },
    {
      report: "openclaw/openclaw#82161",
      says: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 6",
    },
  ],
  target: { ...DEEPSEEK_REASONER, model: "deepseek-chat" },
  elsewhere: OPENAI,
  fields: { thinking: { type: "enabled" } },
  refused: [user("go"), calls(call("call_1")), result("call_1")],
  faulty: [1],
  taken: [user("go"), assistant(null, { tool_calls: [call("call_1")], reasoning_content: "" }), result("call_1")],
} satisfies Card;
