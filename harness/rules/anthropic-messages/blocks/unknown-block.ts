import type { Card } from "../../card.ts";
import { text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A block of a type that another API has; a type that none is known to have is left to the server",
  heals: "it is sent as text",
  error: "found using 'type' does not match any of the expected tags",
  problem: "block_form",
  sources: [{ report: "AstrBotDevs/AstrBot#4444" }],
  target: ANTHROPIC,
  refused: [user([text("look"), { type: "image_url", image_url: { url: "https://example.com/a.png" } }])],
  faulty: [0],
  taken: [user([text("look")])],
  mustReach: ["https://example.com/a.png"],
} satisfies Card;
