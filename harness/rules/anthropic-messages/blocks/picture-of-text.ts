import type { Card } from "../../card.ts";
import { picture, text, user } from "../../../corpus/bodies/case.ts";
import { ANTHROPIC, KIMI } from "../../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A picture whose bytes are text, such as an error page under the name of a picture",
  heals: "its text is sent, said to be one",
  where: "Claude",
  error: "Could not process image",
  problem: "image",
  sources: [
    { report: "anthropics/claude-code#15004" },
    { report: "anthropics/claude-code#37111" },
    { report: "anthropics/claude-code#53228" },
  ],
  target: ANTHROPIC,
  elsewhere: KIMI,
  refused: [user([text("look"), picture("PCFkb2N0eXBlIGh0bWw+PHRpdGxlPlBsZWFzZSBsb2cgaW48L3RpdGxlPg==")])],
  faulty: [0],
  taken: [user([text("look"), picture()])],
  mustReach: ["Please log in"],
} satisfies Card;
