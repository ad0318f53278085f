/**
 * Methods of the process that applies the patch: the engine reads 100 MB of OpenClaw's code, and the proof starts
 * OpenClaw, neither of which may block or end the gateway.
 */
import { CodedError, reasonOf } from "../../base/coded-error.ts";
import { apply, type Report, revert, status, verify } from "../../patching/apply.ts";
import { PatchError } from "../../patching/base/errors.ts";
import { sha256 } from "../../patching/base/hash.ts";
import { manifestIn } from "../../patching/find/package.ts";
import { guardText } from "../../patching/plan.ts";
import { forget, readRecord, recordedProof, remember, rememberProof } from "../../patching/write/record.ts";
import { type Kept, type KeptStep, keptOf, readKept, recordKept } from "../../patching/write/kept-record.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Result of a proof. */
export interface Proof {
  readonly outcome: "passed" | "failed" | "not-run";
  /** In a sentence. */
  readonly summary: string;
}

/** What was done, and whether the operator knows it already. */
export interface KeepResult {
  readonly entry: Kept;
  /** False when the entry was there before and nothing was done. */
  readonly isNews: boolean;
  readonly patchSet?: string;
  /** False for a release that is not recorded. */
  readonly known?: boolean;
}

/** Refusals that pass by themselves: another process is at work in the folder. */
const PASSING: readonly string[] = ["busy", "half-patched", "not-patched", "openclaw-missing"];

/** Applies, proves, and reverts what could not be proven. */
export class KeepEngine {
  readonly #prove: (root: string) => Promise<Proof>;

  /** `prove` rejects when it was interrupted; the next call repeats it. */
  constructor(prove: (root: string) => Promise<Proof>) {
    this.#prove = prove;
  }

  /**
   * Applies the patch to the OpenClaw in `root` and proves it. What a proof has refuted is not tried again with the same
   * release and guard; a refusal is, because a container that is made anew may have other files in the same place. Each
   * step is recorded before the next begins, so that after a kill the next call continues. Rejects for what passes by
   * itself (`busy`) and for an installation that is not OpenClaw.
   */
  async keep({ root }: { readonly root: string }): Promise<KeepResult> {
    const release = manifestIn(root)?.version ?? "unknown";
    const guard = sha256(guardText());
    const reverted = readKept().find((entry) => entry.root === root && entry.step === "reverted");
    if (reverted !== undefined) return { entry: reverted, isNews: false };
    const earlier = keptOf(root, release);
    if (earlier?.guard === guard && earlier.step === "failed") return { entry: earlier, isNews: false };
    // A restart after which the patch was active is no reason against another one: the files are new since.
    const restarted = earlier?.isReported === true ? undefined : earlier?.restartedAt;
    const record = (step: KeptStep, reason?: string): Kept => {
      const entry: Kept = {
        root,
        release,
        guard,
        step,
        at: new Date().toISOString(),
        ...(reason !== undefined && { reason }),
        ...(restarted !== undefined && { restartedAt: restarted }),
      };
      recordKept(entry);
      return entry;
    };
    let report: Report;
    // Whoever had a fork patched wants the next build of it patched too, if that is proven.
    const fork = readRecord().some((one) => one.root === root && one.fork === true);
    try {
      report = status(root, { fork });
      if (report.state === "patched" && (earlier?.step === "proven" || earlier?.step === "unproven"))
        return { entry: earlier, isNews: false, patchSet: report.patchSet, known: report.known };
      // The operator has proven it on the command line.
      if (report.state === "patched" && recordedProof(report) === "proven")
        return { entry: record("proven"), isNews: false, patchSet: report.patchSet, known: report.known };
      // Before the first file is changed: a kill between the two must not leave a patch that nobody proves.
      record("applied");
      apply(root, { fork });
      // An update that replaced the folder meanwhile has taken the patch along.
      report = verify(root, { fork });
      if (report.release !== release) throw new Error(`OpenClaw ${release} was replaced while it was patched`);
    } catch (error) {
      if (!(error instanceof PatchError) || PASSING.includes(error.code)) throw error;
      const isKnown = earlier?.step === "refused" && earlier.guard === guard && codeOf(earlier) === error.code;
      return { entry: record("refused", `${error.code}: ${error.message}`), isNews: !isKnown };
    }
    const { patchSet, known } = report;
    const appliedAt = new Date().toISOString();
    remember({
      root,
      release,
      patchSet,
      appliedAt,
      ways: ["the plugin"],
      places: [root],
      ...(report.fork && { fork }),
      proof: "pending",
    });
    const { outcome, summary } = await this.#prove(root);
    if (outcome === "passed") {
      rememberProof(root, "proven");
      return { entry: record("proven"), isNews: true, patchSet, known };
    }
    // Nobody has looked at an unknown release: without a proof it stays as it is published.
    if (outcome === "not-run" && known) return { entry: record("unproven", summary), isNews: true, patchSet, known };
    const undone = undo(root);
    return { entry: record("failed", [summary, ...undone].join(" ")), isNews: true, patchSet, known };
  }
}

/** Why an entry was refused, without the words, which name paths. */
function codeOf({ reason = "" }: Kept): string {
  return reason.slice(0, Math.max(0, reason.indexOf(":")));
}

function undo(root: string): readonly string[] {
  try {
    revert(root);
    forget(root);
    return [];
  } catch (error) {
    const reason = error instanceof CodedError ? error.message : reasonOf(error);
    return [`The patch could not be reverted (${reason}); run: ${ownCommand("revert")}`];
  }
}
