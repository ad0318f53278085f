/**
 * Methods of the process that applies the patch: the engine reads 100 MB of OpenClaw's code, and the proof starts
 * OpenClaw, neither of which may block or end the gateway.
 */
import { describeError } from "../../base/coded-error.ts";
import { apply, type Report, revert, status, verify } from "../../patching/apply.ts";
import { PatchError } from "../../patching/base/errors.ts";
import { sha256 } from "../../patching/base/hash.ts";
import { manifestIn } from "../../patching/find/package.ts";
import { guardText } from "../../patching/plan.ts";
import {
  forget,
  readRecord,
  recordedProof,
  type RecordedRun,
  remember,
  rememberProof,
  pickRun,
} from "../../patching/write/record.ts";
import { type Kept, findKept, readKept, recordKept } from "../../patching/write/kept-record.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

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

/** Applies, proves, and reverts what a proof refutes. */
export class KeepEngine {
  readonly #prove: (root: string) => Promise<RecordedRun>;

  /** `prove` rejects when it was interrupted; the next call repeats it. */
  constructor(prove: (root: string) => Promise<RecordedRun>) {
    this.#prove = prove;
  }

  /**
   * Applies the patch to the OpenClaw in `root` and proves it. What a proof has refuted is not tried again with the
   * same release and guard; a refusal is, because a container that is made anew may have other files in the same place.
   * A proof that the machine prevented says nothing: the patch stays, and is proven when this is called `again`. Each
   * step is recorded before the next begins, so that after a kill the next call continues. Rejects for what passes by
   * itself (`busy`), for an installation that is not OpenClaw, and with `guard-missing`.
   */
  async keep({ root, again = false }: { readonly root: string; readonly again?: boolean }): Promise<KeepResult> {
    const release = manifestIn(root)?.version ?? "unknown";
    const guard = sha256(guardText());
    const reverted = readKept().find((entry) => entry.root === root && entry.step === "reverted");
    if (reverted !== undefined) return { entry: reverted, isNews: false };
    const earlier = findKept(root, release);
    if (earlier?.guard === guard && earlier.step === "failed") return { entry: earlier, isNews: false };
    const { isReported, restartedAt } = earlier ?? {};
    const tries = earlier?.guard === guard ? earlier.tries : undefined;
    const record = (step: Kept["step"], more: Pick<Kept, "reason" | "run" | "tries"> = {}): Kept => {
      const entry: Kept = {
        root,
        release,
        guard,
        step,
        at: new Date().toISOString(),
        ...more,
        ...(again && isReported && { isReported }),
        // A restart after which the patch was active is no reason against another one: the files are new since.
        ...(restartedAt !== undefined && (again || !isReported) && { restartedAt }),
      };
      recordKept(entry);
      return entry;
    };
    let report: Report;
    // Whoever had a fork patched wants the next build of it patched too, if that is proven.
    const fork = readRecord().some((one) => one.root === root && one.fork === true);
    try {
      report = status(root, { fork });
      if (report.state === "patched" && (earlier?.step === "proven" || (earlier?.step === "unproven" && !again)))
        return { entry: earlier, isNews: false, patchSet: report.patchSet, known: report.known };
      // The operator has proven it on the command line.
      if (report.state === "patched" && recordedProof(report) === "proven")
        return { entry: record("proven"), isNews: false, patchSet: report.patchSet, known: report.known };
      // Before the first file is changed: a kill between the two must not leave a patch that nobody proves.
      record("applied", tries === undefined ? {} : { tries });
      apply(root, { fork });
      // An update that replaced the folder meanwhile has taken the patch along.
      report = verify(root, { fork });
      if (report.release !== release) throw new Error(`OpenClaw ${release} was replaced while it was patched`);
    } catch (error) {
      if (!(error instanceof PatchError) || PASSING.includes(error.code)) throw error;
      const isKnown = earlier?.step === "refused" && earlier.guard === guard && reasonCode(earlier) === error.code;
      return { entry: record("refused", { reason: `${error.code}: ${error.message}` }), isNews: !isKnown };
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
    const run = pickRun(await this.#prove(root));
    rememberProof(root, run);
    const done = { isNews: true, patchSet, known };
    const { verdict, sentence: reason } = run;
    if (verdict === "proven") return { entry: record("proven", { run }), ...done };
    if (verdict === "environment")
      return { entry: record("unproven", { reason, run, tries: (tries ?? 0) + 1 }), ...done };
    if (verdict === "release" && known) return { entry: record("unproven", { reason, run }), ...done };
    // Nobody has looked at an unknown release: one that no proof can judge stays as it is published.
    const step = verdict === "release" ? "refused" : "failed";
    const isNews = step === "failed" || earlier?.guard !== guard || earlier.run?.verdict !== verdict;
    return { entry: record(step, { reason: [reason, ...undo(root)].join(" "), run }), ...done, isNews };
  }
}

/** Why an entry was refused, without the words, which name paths. */
function reasonCode({ reason = "" }: Kept): string {
  return reason.slice(0, Math.max(0, reason.indexOf(":")));
}

function undo(root: string): readonly string[] {
  try {
    revert(root);
    forget(root);
    return [];
  } catch (error) {
    return [`The patch could not be reverted (${describeError(error)}); run: ${ownCommand("revert")}`];
  }
}
