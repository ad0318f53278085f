import type { GateCase } from "./case.ts";
import { caseName } from "./case.ts";
import type { Finding, Kind } from "./judge.ts";

/** Where the patched OpenClaw is known to do otherwise, and why that is right. */
export interface Exception {
  kind: Kind;
  /** Finds the name of the case: `filter-old-result on chat`. */
  cases: RegExp;
  /** The release that it holds for; all of them by default. */
  release?: string;
  /** Only for words that the same provider refused in an earlier turn. */
  isHeldBack?: true;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    kind: "lost",
    cases: /./,
    isHeldBack: true,
    reason:
      "what a provider has refused in an earlier turn is held back from that provider for a week, also when it would take it again; " +
      "from another provider nothing is held back",
  },
  {
    kind: "lost",
    cases: /^random-90 on anthropic$/,
    reason:
      "a provider that says in known words that it takes no pictures is believed for a week, also where it has refused for another reason",
  },
];

/** The exception that a finding falls under. */
export function findException(
  { kind, isHeldBack }: Finding,
  { played, release }: { played: GateCase; release: string },
  exceptions: readonly Exception[] = EXCEPTIONS,
): Exception | undefined {
  return exceptions.find(
    (one) =>
      one.kind === kind &&
      one.cases.test(caseName(played)) &&
      (one.release === undefined || one.release === release) &&
      (one.isHeldBack === undefined || isHeldBack === true),
  );
}
