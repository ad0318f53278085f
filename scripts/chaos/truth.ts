import type { ToolPlan } from "./calls.ts";

/** What is true of a call at the moment of the kill, by what its command and OpenClaw itself wrote down. */
export type Truth =
  /** The model had not finished to ask for it. */
  | "cut off"
  /** It was asked for, and OpenClaw had not begun with it. */
  | "not begun"
  /** OpenClaw had begun with it; the command did not get to its first line, also not as an orphan. */
  | "begun, did nothing"
  /** The command had begun, or began as an orphan. */
  | "running"
  /** The command had ended; OpenClaw had not said that it knew. */
  | "ended unheard"
  /** OpenClaw had the result, for less than the margin. */
  | "too close"
  /** OpenClaw had the result. */
  | "finished";

export const TRUTHS: readonly Truth[] = [
  "cut off",
  "not begun",
  "begun, did nothing",
  "running",
  "ended unheard",
  "too close",
  "finished",
];

/** How it is known. */
export interface Evidence {
  killedAt: number;
  /** Whether the whole answer with the call had been sent before the kill. */
  asked: boolean;
  /** What was written down of the call: "started" and "finished" by its command, "begun" and "returned" by OpenClaw. */
  facts: ReadonlyMap<string, number>;
  /** How long before the kill a result must have been there to count as finished. */
  marginMs: number;
  /** Whether OpenClaw's own events are seen; else the end of the command counts. */
  seesEvents: boolean;
}

/** The truth of one call. */
export function judgeTruth(
  { tool }: Pick<ToolPlan, "tool">,
  { killedAt, asked, facts, marginMs, seesEvents }: Evidence,
): Truth {
  const before = (what: string, margin = 0): boolean => (facts.get(what) ?? Infinity) <= killedAt - margin;
  const heard = seesEvents ? "returned" : "finished";
  if (before(heard, marginMs)) return "finished";
  if (seesEvents && before("returned")) return "too close";
  if (before("finished")) return "ended unheard";
  if (facts.has("started")) return "running";
  // Reading leaves no trace of its own.
  if (before("begun")) return tool === "read" ? "running" : "begun, did nothing";
  return asked ? "not begun" : "cut off";
}
