import type { Card } from "../../card.ts";
import { picture, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A picture whose bytes are no base64",
  heals: "it is sent as text",
  error: "invalid base64 data",
  problem: "image",
  sources: [{ report: "HiveNexus/HiveChat#39" }],
  target: ANTHROPIC,
  refused: [user([text("look"), picture("not base64!")])],
  faulty: [0],
  taken: [user([text("look"), picture()])],
} satisfies Card;
