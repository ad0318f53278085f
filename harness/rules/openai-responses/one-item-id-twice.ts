import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { GROK, OPENAI } from "../build/hosts.ts";
import { answer } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "duplicate_item_id",
  what: "Two items with the same id",
  heals: "the id is left out",
  where: "OpenAI",
  error: "Duplicate item found with id",
  problem: "tool_id",
  sources: [
    { report: "OpenRouterTeam/ai-sdk-provider#254" },
    { report: "openai/openai-agents-python#1789" },
    { report: "microsoft/vscode#321977" },
  ],
  target: OPENAI,
  elsewhere: GROK,
  refused: [says("go"), answer("ok", { id: "msg_1" }), says("b"), answer("c", { id: "msg_1" }), says("d")],
  faulty: [3],
  taken: [says("go"), answer("ok", { id: "msg_1" }), says("d")],
} satisfies Card;
