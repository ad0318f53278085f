/** The result of a proof, as data and as lines for a person. */

/**
 * `proven`: every session was answered, and nothing lost. `patch`: some were not, twice, although this OpenClaw answers
 * a sound one with the guard off: the patch does not work, or is not there. `release`: this OpenClaw does with a sound
 * session, also with the guard off, what the proof does not expect. `environment`: nothing is known, because the
 * machine or its user did not let the proof come to its end.
 */
export type ProofVerdict = "proven" | "patch" | "release" | "environment";

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
  /** A message had no answer in time (only where that does not end the whole run): nothing is known of the session. */
  readonly isLate?: true;
  /** The provider's last refusal that the turn did not recover from. */
  readonly refusal?: string;
}

/** The result of a proof. */
export interface ProofReport {
  readonly root: string;
  readonly release: string;
  readonly verdict: ProofVerdict;
  /** The verdict and its reason in one sentence, on one line. Words of others in it are quoted. */
  readonly sentence: string;
  /** What to do about it; absent when proven. */
  readonly todo?: string;
  /** The guard among OpenClaw's files; absent when there is none. */
  readonly guard?: { readonly version: string; readonly sha256: string };
  /** The Node that OpenClaw ran on; absent when none was found. */
  readonly node?: { readonly path: string; readonly version: string };
  /** When the proof began, in ISO 8601. */
  readonly at: string;
  /** The sessions in the order in which they are shown; empty when the proof did not come that far. */
  readonly sessions: readonly SessionProof[];
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** Returns the report as lines: the verdict, and one line for each session. Words of others in them are quoted. */
export function proofLines({ root, release, sentence, todo, sessions }: ProofReport): readonly string[] {
  return [
    `OpenClaw ${release} in ${root}: ${sentence}`,
    ...sessions.map(({ passed, fault, outcome }) => `  ${passed ? "ok    " : "FAILED"}  ${fault}: ${outcome}`),
    ...(todo === undefined ? [] : [todo]),
  ];
}
