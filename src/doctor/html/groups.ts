import type { Checkup } from "../checkup.ts";
import { protectionBy } from "../patched.ts";
import type { Severity } from "../severity.ts";

interface Group {
  /** Follows the number of sessions. */
  readonly name: string;
  readonly heading: string;
  /** States the severity beside its colour. */
  readonly sign: string;
}

export const GROUPS: Readonly<Record<Severity, Group>> = {
  bricks: { name: "can get stuck", heading: "Can get stuck", sign: "✗" },
  loses: { name: "can lose content", heading: "Can lose content", sign: "!" },
  unread: { name: "not read", heading: "Not read", sign: "?" },
  harmless: { name: "with harmless faults", heading: "Harmless faults", sign: "~" },
  sound: { name: "valid", heading: "Valid", sign: "✓" },
};

/** What protects the sessions, or does not. */
type Protected = Pick<Checkup, "openclaws" | "gateways">;

/** Returns what the faults of a group mean for the OpenClaws at hand. */
export function explainSeverity(severity: Severity, { openclaws, gateways }: Protected): string {
  const healed = {
    whole: "OpenClaw is patched: it heals them in each request. Without the patch,",
    other: "OpenClaw is patched by another version: it heals what that one knows. Without the patch,",
    none: "Unpatched,",
    unknown: "Unpatched,",
  }[protectionBy(openclaws, gateways)];
  switch (severity) {
    case "bricks":
      return `${healed} OpenClaw can fail at every further message, or can no longer read the session.`;
    case "loses":
      return `${healed} OpenClaw goes on, but can leave out messages or results without a word.`;
    case "unread":
      return "These could not be examined.";
    case "harmless":
      return "OpenClaw answers all the same, as far as was measured, or the conversation has left the session.";
    case "sound":
      return "Nothing to do.";
  }
}
