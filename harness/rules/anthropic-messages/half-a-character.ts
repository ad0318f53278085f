import type { Card } from "../card.ts";
import { user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "lone_surrogate",
  what: "Half of a character of two halves, as a text cut in the middle of a picture sign has it; on each API",
  heals: "U+FFFD stands in its place",
  error: "no low surrogate in string",
  problem: "block_form",
  sources: [
    { report: "anthropics/claude-code#3277" },
    { report: "anthropics/claude-code#60394" },
    { report: "link-assistant/hive-mind#1324" },
  ],
  target: ANTHROPIC,
  refused: [user("\ud83e")],
  faulty: [0],
  taken: [user("ok")],
} satisfies Card;
