import type { Card } from "../../card.ts";
import { assistant, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A block of a type that the API does not know",
  heals: "it is sent as text",
  error: "found using 'type' does not match any of the expected tags",
  problem: "block_form",
  sources: [{ report: "vercel/ai#22005" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant({ type: "fallback", from: "a" }, text("ok")), user("and?")],
  faulty: [1],
  taken: [user("go"), assistant(text("ok")), user("and?")],
} satisfies Card;
