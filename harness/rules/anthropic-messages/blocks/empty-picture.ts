import type { Card } from "../../card.ts";
import { text, user } from "../../../corpus/bodies/case.ts";
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
  refused: [user([text("look"), { type: "image", source: { type: "base64", media_type: "image/png", data: "" } }])],
  faulty: [0],
  taken: [
    user([
      text("look"),
      {
        type: "image",
        source: {
          type: "base64",
          media_type: "image/png",
          data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        },
      },
    ]),
  ],
} satisfies Card;
