/** What must hold after every kill around a move; each has a test that sees it broken. */
export const RULES = {
  answered: "the next message is answered, and the one behind it",
  accepted: "the strict provider refuses none of their requests",
  committed: "the carryover is stored if and only if OpenClaw was killed behind its commit",
  whole:
    "the conversation stands behind the target and the carryover with nothing of what was left, or behind the whole departure",
  "asked-once": "the user's question is in the request, as a message or in the carryover, and not in both",
  "one-carryover": "no move has two carryovers",
  steady: "what had happened at the kill is neither undone nor done by the next start",
  kept: "every row that was stored is still stored, as it was",
  "goes-on": "what is said behind the kill, and its answer, are in the request behind it",
  index: "OpenClaw's index of the session is right once it has answered",
} as const;

export type Rule = keyof typeof RULES;

/** A rule that was broken, and how. */
export interface Finding {
  readonly rule: Rule;
  readonly message: string;
}
