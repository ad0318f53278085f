import type { Card } from "../card.ts";
import { model, text, user } from "../build/gemini.ts";
import { GEMINI } from "../build/hosts.ts";

export default {
  api: "google-generative-ai",
  rule: "role",
  what: "A content of another role",
  heals: "it becomes the user's",
  error: "Please use a valid role",
  problem: "role_order",
  sources: [
    {
      report: "sashiko-dev/sashiko#500",
      says: "Role 'function' is not supported. Please use a valid role: SYSTEM, USER, ASSISTANT, DEVELOPER, CONTEXT, USER_CONTEXT, MODEL",
    },
  ],
  target: GEMINI,
  refused: [user(text("go")), model(text("ok")), { role: "critic", parts: [text("no")] }],
  faulty: [2],
  taken: [user(text("go"))],
} satisfies Card;
