import type { Card } from "../card.ts";
import { assistant, text, user } from "../../corpus/bodies/case.ts";
import { ANTHROPIC } from "../build/hosts.ts";

export default {
  api: "anthropic-messages",
  rule: "final_whitespace",
  what: "White space at the end of the beginning of an answer",
  heals: "it is left out",
  error: "final assistant content cannot end with trailing whitespace",
  problem: "role_order",
  sources: [{ report: "tailcallhq/forgecode#1872" }, { report: "crewAIInc/crewAI#4538" }],
  target: ANTHROPIC,
  refused: [user("go"), assistant(text("so "))],
  faulty: [1],
  taken: [user("go"), assistant(text("so"))],
} satisfies Card;
