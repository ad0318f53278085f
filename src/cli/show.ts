import type { Report } from "../patching/index.ts";
import type { Outcome } from "./run.ts";

/** A report under a sentence that says what it means, with the patch points that are in place. */
export function show(report: Report, sentence: string): Outcome {
  const points = Object.entries(report.points).filter(([, copies]) => copies > 0);
  return {
    data: { ...report },
    lines: [
      `OpenClaw ${report.release} in ${report.root}: ${sentence}`,
      ...points.map(([point, copies]) => `  ${point} (${copies} ${copies === 1 ? "copy" : "copies"})`),
    ],
  };
}
