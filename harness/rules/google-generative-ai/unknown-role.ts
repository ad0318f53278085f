import type { Card } from "../card.ts";

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
  target: {
    host: "generativelanguage.googleapis.com",
    model: "gemini-2.5-pro",
  },
  refused: {
    contents: [
      {
        role: "user",
        parts: [
          {
            text: "go",
          },
        ],
      },
      {
        role: "model",
        parts: [
          {
            text: "ok",
          },
        ],
      },
      {
        role: "critic",
        parts: [
          {
            text: "no",
          },
        ],
      },
    ],
  },
  faulty: [2],
  taken: {
    contents: [
      {
        role: "user",
        parts: [
          {
            text: "go",
          },
        ],
      },
    ],
  },
} satisfies Card;
