/** The result of a proof, as data and as lines for a person. */

/**
 * `proven`: every session was answered. `not-proven`: OpenClaw ran, and at least one session was not answered as it
 * should be. `could-not-run`: nothing is known, because the proof did not come to its end.
 */
export type ProofOutcome = "proven" | "not-proven" | "could-not-run";

/** The result of one session. */
export interface SessionProof {
  /** Name of the session, such as `orphaned-result`. */
  readonly id: string;
  /** What is wrong with the stored history, in plain words. */
  readonly fault: string;
  readonly passed: boolean;
  /** What happened, in plain words. */
  readonly outcome: string;
  /** How many of the messages to the session were answered. */
  readonly answered: number;
  readonly messages: number;
  /** Texts of the stored history that the provider was not sent. */
  readonly lost: readonly string[];
  /** The provider's last refusal that the turn did not recover from. */
  readonly refusal?: string;
}

/** The result of a proof. */
export interface ProofReport {
  readonly root: string;
  readonly release: string;
  readonly outcome: ProofOutcome;
  /** The outcome in one sentence. */
  readonly sentence: string;
  /** What to do about it; absent when proven. */
  readonly todo?: string;
  /** Whether a gateway of this OpenClaw was started. */
  readonly started: boolean;
  /**
   * Whether the outcome speaks against the patch: a session failed, or OpenClaw did not come up. False where the reason
   * lies elsewhere: no Node for it, or a release whose sound sessions the proof cannot judge with the guard off either.
   */
  readonly againstPatch: boolean;
  /** The Node that OpenClaw ran on; absent when none was found. */
  readonly node?: string;
  /** In the order in which they are shown; empty when the proof did not come that far. */
  readonly sessions: readonly SessionProof[];
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** Returns the report as lines: the outcome, and one line for each session. May contain text of OpenClaw. */
export function proofLines({ root, release, sentence, todo, sessions }: ProofReport): readonly string[] {
  return [
    `OpenClaw ${release} in ${root}: ${sentence}`,
    ...sessions.map(({ passed, fault, outcome }) => `  ${passed ? "ok    " : "FAILED"}  ${fault}: ${outcome}`),
    ...(todo === undefined ? [] : [todo]),
  ];
}
