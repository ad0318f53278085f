import type { Card } from "../card.ts";
import { says } from "../../corpus/bodies/case.ts";
import { OPENAI } from "../build/hosts.ts";
import { answer } from "../build/responses.ts";

export default {
  api: "openai-responses",
  rule: "reasoning_item",
  what: "Reasoning without the item that it led to behind it",
  heals: "its summary is sent as text",
  error: "was provided without its required following item",
  problem: "thinking",
  sources: [{ recorded: 253 }, { report: "openclaw/openclaw#18428" }, { report: "openai/openai-node#1567" }],
  target: OPENAI,
  refused: [says("go"), { type: "reasoning", id: "rs_1", summary: [] }, says("and?")],
  faulty: [1],
  taken: [says("go"), { type: "reasoning", id: "rs_1", summary: [] }, answer("ok", { id: "msg_1" }), says("and?")],
} satisfies Card;
