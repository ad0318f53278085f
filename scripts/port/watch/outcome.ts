/** What became of a new release. */

/**
 * `ported`: recorded, with its proof. `needs-a-hand`: something does not fit or was not proven; nothing is recorded.
 * `refused`: the release could not be had as it was published; nothing is known about it.
 */
export type Verdict = "ported" | "needs-a-hand" | "refused";

/** A step with its time. */
export interface Step {
  readonly name: string;
  readonly ms: number;
}

/** The outcome of one release, as the process that ported it hands it over. */
export interface PortOutcome {
  readonly release: string;
  readonly verdict: Verdict;
  /** Why it is not `ported`; empty when it is. */
  readonly reasons: readonly string[];
  readonly integrity?: string;
  /** The range of Node versions of the release. */
  readonly node?: string;
  /** The release before it, which it was compared with. */
  readonly before?: string;
  /** The row of the matrix: what became of each patch point, in words. */
  readonly points: readonly { readonly id: string; readonly found: number; readonly outcome: string }[];
  /** What differs from the release before around the patch points: for the reviewer. */
  readonly differences: readonly string[];
  /** Histories that went through the gates of the patched package. */
  readonly gateRuns: number;
  /** The lines of the proof; empty when it was not run. */
  readonly proof: readonly string[];
  readonly steps: readonly Step[];
}

/** All steps together, in seconds. */
export function totalSeconds({ steps }: PortOutcome): number {
  return Math.round(steps.reduce((sum, { ms }) => sum + ms, 0) / 1000);
}
