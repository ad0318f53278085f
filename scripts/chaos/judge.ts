import type { Told } from "./told.ts";
import type { Truth } from "./truth.ts";

/** What a check may find. */
export type Fault =
  | "not answered"
  | "user message lost"
  | "answer lost"
  | "result lost"
  | "half cycle"
  | "request refused"
  | "told wrongly";

export const FAULTS: readonly Fault[] = [
  "not answered",
  "user message lost",
  "answer lost",
  "result lost",
  "half cycle",
  "request refused",
  "told wrongly",
];

/** Whether what was told of a call is false, or leaves out a result that OpenClaw had; undefined if it is right. */
export function faultOfReport(truth: Truth, told: Told): Extract<Fault, "result lost" | "told wrongly"> | undefined {
  if (truth === "finished" && told !== "result") return "result lost";
  if (told === "invented" || told === "other") return "told wrongly";
  const ran = truth === "running" || truth === "ended unheard" || truth === "too close";
  // A real result is told apart by what only the tool can know, so that it is never wrong.
  return ran && (told === "not started" || told === "absent") ? "told wrongly" : undefined;
}
