import type { AgentReport } from "../../conformance/index.ts";
import { counted } from "../../doctor/words.ts";

/** The sum of a report, in a sentence. */
export function summary({ cases, passed, failed, skipped, conforms }: AgentReport): string {
  const rest = skipped === 0 ? "" : ` ${counted(skipped, "case")} skipped.`;
  if (conforms) return `The agent conforms: ${counted(passed, "case")} passed.${rest}`;
  const played = counted(cases.length - skipped, "case");
  return `The agent does not conform: ${failed.toLocaleString("en")} of ${played} failed.${rest}`;
}

/** How many cases have a fault of each kind, the most frequent first. */
export function countFaults({ cases }: AgentReport): (readonly [kind: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { faults } of cases)
    for (const kind of new Set(faults.map((fault) => fault.kind))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
