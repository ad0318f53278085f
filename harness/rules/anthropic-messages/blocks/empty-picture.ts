import type { Card } from "../../card.ts";
import { picture, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A picture without bytes",
  heals: "it is sent as text",
  error: "image cannot be empty",
  problem: "image",
  sources: [{ report: "anthropics/claude-code#36712" }],
  target: ANTHROPIC,
  refused: [user([text("look"), picture("")])],
  faulty: [0],
  taken: [user([text("look"), picture()])],
} satisfies Card;
