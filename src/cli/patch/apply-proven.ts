/** Proves a patch that was just applied, and takes it back when it does not work. */
import { forget, recordedProof, rememberProof, revert, type Report } from "../../patching/index.ts";
import type { ProofReport } from "../../prove/index.ts";
import { EXIT, type Outcome, type SwapOptions } from "../run.ts";
import { refusalCode, proofData, runProof } from "./prove.ts";

/** Options of apply. */
export interface ApplyOptions extends SwapOptions {
  /** `--fork` */
  readonly fork?: boolean;
  /** `--prove`, `--no-prove`; undefined for neither. */
  readonly prove?: boolean;
}

/** Whether a patch is to be proved: when asked for, and on a release that nobody has looked at, until it was proved. */
export function isToBeProved(report: Report, { prove }: ApplyOptions): boolean {
  return prove ?? isUnproved(report);
}

/** Whether a patched release is unknown and was not proved on this machine. */
export function isUnproved(report: Report): boolean {
  return !report.known && recordedProof(report) !== "proven";
}

/**
 * Proves the patch that `outcome` tells of. What the proof refutes is reverted, and so is what it cannot judge in a
 * release that nobody has looked at. Where the machine prevented the proof the patch stays, and the outcome says that
 * it is not proven.
 */
export async function proveApplied(report: Report, outcome: Outcome, options: ApplyOptions): Promise<Outcome> {
  const { root } = report;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  // Ctrl-C takes the patch back too: it was asked for with a proof.
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    const { report: proof, lines } = await runProof(root, { signal: abort.signal });
    const warnings = outcome.warnings ?? [];
    const data = { ...outcome.data, proof: proofData(proof) };
    const unrecorded = rememberProof(root, proof);
    if (proof.verdict === "proven") {
      const all = [...outcome.lines, ...lines];
      return { data, lines: all, warnings: [...warnings, ...(unrecorded === undefined ? [] : [unrecorded])] };
    }
    const isKept = proof.verdict === "environment" || (proof.verdict === "release" && report.known);
    if (isKept && !abort.signal.aborted) {
      const unproven = `the patch stays, and is not proven: ${proof.sentence}. ${proof.todo ?? ""}`.trimEnd();
      // Without --prove nobody asked for more than the patch, which is there.
      if (options.prove !== true) return { ...outcome, data, warnings: [...warnings, unproven] };
      return refused({ ...data, action: "kept" }, proof, [unproven], warnings, outcome.lines);
    }
    revert(root, options);
    const unforgotten = forget(root);
    const state = report.fork ? "it was" : "published";
    const taken = `The patch was taken back: OpenClaw ${report.release} is as ${state} again.`;
    const all = [...warnings, ...(unforgotten === undefined ? [] : [unforgotten])];
    return refused({ ...data, state: "stock", action: "reverted" }, proof, [...lines, taken], all);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** An outcome with exit code 1, whose lines are also shown with --quiet. */
function refused(
  data: Readonly<Record<string, unknown>>,
  proof: ProofReport,
  lines: readonly string[],
  warnings: readonly string[],
  before: Outcome["lines"] = [],
): Outcome {
  const message = [`${proof.sentence}.`, lines.at(-1)].join(" ");
  return {
    data: { ...data, code: refusalCode(proof), message },
    lines: before,
    warnings: [...warnings, ...lines],
    exit: EXIT.refused,
  };
}
