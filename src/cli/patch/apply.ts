import {
  apply,
  findInstallation,
  forgetKept,
  plan,
  recordedProof,
  remember,
  type Report,
} from "../../patching/index.ts";
import { forkLines } from "./fork-text.ts";
import { say } from "../../base/terminal.ts";
import { readPluginRecord } from "../plugin/record.ts";
import { EXIT, runAsync, UsageError, type Outcome } from "../run.ts";
import { isToBeProved, proveApplied, type ApplyOptions } from "./apply-proven.ts";
import { sharedWarnings, show } from "./show.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Returns what apply did as the end of a sentence: `already patched (patch set 7), nothing to do`. */
export function applied({ action, patchSet }: Pick<Report, "action" | "patchSet">): string {
  const sentences = {
    applied: `patched (patch set ${patchSet})`,
    completed: `a half-finished patch was completed (patch set ${patchSet})`,
    updated: `an older patch was replaced (patch set ${patchSet})`,
    already: `already patched (patch set ${patchSet}), nothing to do`,
    checked: `checked (patch set ${patchSet})`,
  };
  return sentences[action];
}

/** Returns what the patch of this release lacks compared with a tested one. */
export function reservations({
  release,
  known,
  fork,
  leftOut,
}: Pick<Report, "release" | "known" | "fork" | "leftOut">): readonly string[] {
  const fitted = `the patch was fitted to its code (see: ${ownCommand("explain")})`;
  const untested = `OpenClaw ${release} is not among the tested releases; ${fitted}`;
  const forked = `OpenClaw ${release} is not as published; ${fitted}`;
  return [
    ...(known ? [] : [fork ? forked : untested]),
    ...leftOut.map(({ point, reason }) => `${point} was left out: ${reason}`),
  ];
}

/** `openclaw-integrity apply` */
export async function applyCommand(options: ApplyOptions & SourceOnly): Promise<void> {
  await runAsync(options, async () => {
    assertNoSourceOption(options);
    const outcome = await applyOutcome(options);
    if ((outcome.exit ?? EXIT.ok) !== EXIT.ok || outcome.data["action"] === "already") return outcome;
    return { ...outcome, lines: [...outcome.lines, ...nextLines()] };
  });
}

/** Options of `apply --source`. */
interface SourceOnly {
  readonly patch?: string;
  readonly dirty?: boolean;
}

/** Throws a UsageError: who asks for files of a patch must not get a patched OpenClaw. */
function assertNoSourceOption({ patch, dirty }: SourceOnly): void {
  const found = patch !== undefined ? "--patch" : dirty === true ? "--dirty" : undefined;
  if (found === undefined) return;
  const instead = found === "--patch" ? `; for an installed OpenClaw: ${ownCommand("write-patches")}` : "";
  throw new UsageError(`expected --source <checkout> beside ${found}; found none${instead}. Nothing was changed.`);
}

/** What is left to do for the person who has applied the patch. */
function nextLines(): readonly string[] {
  return [
    "Restart the gateway, which keeps what it has loaded: openclaw gateway restart (or end it and start it again)",
    ...(hasPlugin()
      ? []
      : [
          "An update of OpenClaw removes the patch in silence. To have it applied " +
            `again: ${ownCommand("plugin install", { options: ["--keep-patched"] })}`,
        ]),
  ];
}

function hasPlugin(): boolean {
  try {
    return readPluginRecord() !== undefined;
  } catch {
    // A record that cannot be read: there was an installation.
    return true;
  }
}

/**
 * Applies the patch, notes the installation in the record, and forgets an earlier revert. Proves the patch where that
 * is due or asked for; a patch that the proof refutes is taken back, and the outcome has exit code 1. Prints what
 * differs in a fork, and that a proof begins, before it returns. Rejects with a PatchError where nothing was applied.
 */
export async function applyOutcome(options: ApplyOptions): Promise<Outcome> {
  const found = findInstallation(options);
  const asked = options.fork === true ? plan(found.root, options) : undefined;
  const isShown = !options.json && !options.quiet;
  if (asked?.fork && isShown) say(forkLines({ release: asked.release, fork: asked.fork }));
  if (asked && !asked.fork && isShown) say([`OpenClaw ${asked.release} is as published: --fork changes nothing`]);
  const report = apply(found.root, options);
  const { root, ways, places } = found;
  const { release, patchSet } = report;
  const proves = isToBeProved(report, options);
  const proof = proves ? "pending" : recordedProof(report);
  const unrecorded = remember({
    root,
    release,
    patchSet,
    appliedAt: new Date().toISOString(),
    ways,
    places,
    ...(report.fork && { fork: true }),
    ...(proof !== undefined && { proof }),
  });
  const changed = report.action === "already" ? [] : sharedWarnings(found);
  const unwritten = [unrecorded, forgetKept(root)].filter((warning) => warning !== undefined);
  const warnings = [...reservations(report), ...changed, ...unwritten];
  const outcome = { ...show(found, report, applied(report)), warnings };
  if (proves) {
    if (isShown) say([`OpenClaw ${release} is patched; the proof begins (one to two minutes)`]);
    return proveApplied(report, outcome, options);
  }
  if (report.action === "already") return outcome;
  return { ...outcome, lines: [...outcome.lines, `To see it at work on this machine: ${ownCommand("prove")}`] };
}
