import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { DEEPSEEK_REASONER, OPENAI } from "../build/hosts.ts";
import { call, output } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "output_place",
  what: "Anything between calls and their outputs",
  heals: "what stands between comes before the calls, or behind the outputs",
  where: "DeepSeek",
  error: "No tool output found for tool call",
  problem: "tool_pairing",
  sources: [
    { recorded: 189 },
    { report: "deepseek-ai/DeepSeek-V3#1588" },
    { report: "deepseek-ai/awesome-deepseek-integration#740" },
    { report: "yetone/alma-releases#81" },
  ],
  target: { ...DEEPSEEK_REASONER, model: "deepseek-v4-pro" },
  elsewhere: OPENAI,
  refused: [
    says("go"),
    call("call_1"),
    { type: "message", role: "developer", content: [{ type: "input_text", text: "hook" }] },
    output("call_1"),
  ],
  faulty: [],
  taken: [says("go"), call("call_1"), call("call_2"), output("call_1"), output("call_2")],
} satisfies Card;
