/** `openclaw-integrity setup --rehearse <version>`: an update tried beside the live OpenClaw, which it leaves alone. */
import { rmSync } from "node:fs";
import { CodedError, describeError } from "../../base/coded-error.ts";
import { apply, findInstallation, PatchError, type Found } from "../../patching/index.ts";
import type { Rehearsed } from "../../prove/index.ts";
import { assertState, stateDirectory } from "../../store/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { runProof } from "../patch/prove.ts";
import { ask, asks } from "../question.ts";
import { rehearsalError, RehearsalPlace, removeLeft } from "../rehearsal-place.ts";
import { EXIT, UsageError, type CommonOptions, type Outcome } from "../run.ts";
import { progress } from "../sessions/scan.ts";
import { waiting } from "../waiting.ts";
import { copySessions, databaseBytes, type Copies } from "./copies.ts";
import { checkRoom, installNext, parseNext, specifier, type Next } from "./next.ts";
import { ENDS, judgeRehearsal, reportLines, type Findings } from "./report.ts";
import { doSwitch, switchFor } from "./switch.ts";
import type { Line } from "../../base/terminal.ts";

/** Options of a rehearsed update. */
export interface RehearseOptions extends CommonOptions {
  readonly rehearse?: string;
  readonly sessions?: string;
  readonly switch?: boolean;
  readonly yes?: boolean;
}

const SESSIONS = 8;
const MOST_SESSIONS = 50;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Tries an update: exit code 0 where it would be fine, 3 where something would break. `afterSwitch` gives the lines
 * about gateways that run. Rejects with a RehearsalError for what prevents it.
 */
export async function rehearseOutcome(
  options: RehearseOptions,
  afterSwitch: (root: string) => readonly Line[],
): Promise<Outcome> {
  const next = parseNext(options.rehearse ?? "");
  const most = parseSessions(options.sessions);
  const found = findInstallation(options);
  const state = stateDirectory();
  assertState(state);
  const left = removeLeft();
  const place = new RehearsalPlace();
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  let findings: Findings;
  try {
    findings = await rehearseIn(place, { found, next, most, state, signal: abort.signal, options });
  } catch (error) {
    throw abort.signal.aborted ? ended() : error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    place.remove();
  }
  // The question is asked when the rehearsal is gone: nobody may answer it for days.
  return told(findings, { found, next, state, options, left, afterSwitch });
}

function parseSessions(text: string | undefined): number {
  const most = text === undefined ? SESSIONS : Number(text);
  if (Number.isInteger(most) && most > 0 && most <= MOST_SESSIONS) return most;
  throw new UsageError(`expected --sessions with a number from 1 to ${MOST_SESSIONS}; found ${JSON.stringify(text)}`);
}

interface Work {
  readonly found: Found;
  readonly next: Next;
  readonly state: string;
  readonly options: RehearseOptions;
}

/** The rehearsal, in its folder. */
async function rehearseIn(
  place: RehearsalPlace,
  work: Work & { readonly most: number; readonly signal: AbortSignal },
): Promise<Findings> {
  const { found, next, most, state, signal, options } = work;
  const free = checkRoom(place.folder, 2 * databaseBytes(state));
  const copies = await copy(place, state, most, options);
  waiting(
    `installing ${specifier(next)} in ${place.folder} (up to 1.3 GB, until the end of this; ${free} MB are free)`,
  );
  const root = await installNext(next, place, signal);
  // The code of the proof is loaded only now.
  const { rehearse } = await import("../../prove/index.ts");
  const run = (): Promise<Rehearsed> =>
    rehearse(root, copies.sessions, { signal, onProgress: waiting }).catch((error: unknown) => {
      throw notRun(error);
    });
  waiting("the copies, without the patch");
  const unpatched = await run();
  const all = { root: found.root, release: found.release, copies, unpatched };
  try {
    const { release } = apply(root);
    waiting("the proof, with the patch");
    const { report: proof } = await runProof(root, { signal });
    signal.throwIfAborted();
    waiting("the copies, with the patch");
    return { ...all, next: release, patched: { ...(await run()), proof } };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return { ...all, next: releaseIn(root), patched: { refusal: error.message } };
  }
}

async function copy(place: RehearsalPlace, state: string, most: number, options: RehearseOptions): Promise<Copies> {
  waiting(`copying at most ${most} sessions of ${state}`);
  const mirror = place.make("store");
  const onProgress = progress(options);
  const copies = await copySessions(state, { folder: place.make("copies"), mirror, most, onProgress });
  rmSync(mirror, { recursive: true, force: true });
  if (copies.sessions.length > 0) return copies;
  throw rehearsalError("no-sessions", {
    expected: `sessions with messages in ${state}, to be copied`,
    found: copies.all === 0 ? "none" : `${copies.all}, none of which could be read`,
    todo: "Name another state directory with OPENCLAW_STATE_DIR, or update. Nothing was changed.",
  });
}

function releaseIn(root: string): string {
  return findInstallation({ path: root }).release;
}

function notRun(error: unknown): Error {
  return rehearsalError("could-not-run", {
    expected: "the copies to be run through the next OpenClaw",
    found: describeError(error),
    todo: "It says nothing against the update. Run it again. Nothing of yours was changed.",
    cause: error,
  });
}

function ended(): Error {
  return rehearsalError("could-not-run", {
    expected: "the rehearsal to come to its end",
    found: "that it was ended",
    todo: "Its folder was removed.",
  });
}

type Telling = Work & {
  readonly left: readonly string[];
  readonly afterSwitch: (root: string) => readonly Line[];
};

/** The report, and the switch where it was asked for. */
async function told(findings: Findings, telling: Telling): Promise<Outcome> {
  const { found, next, state, options, left, afterSwitch } = telling;
  const verdict = judgeRehearsal(findings, state);
  const { command, npm } = switchFor(found, next, findings.next);
  const lines = [...left, ...reportLines(findings, verdict)];
  const { release, root, patched } = findings;
  const proof = "proof" in patched ? { proof: patched.proof } : { refusal: patched.refusal };
  const data = { root, release, next: findings.next, ...verdict, ...proof, switch: command };
  const fits = "proof" in patched;
  const byHand = fits ? [`  ${ownCommand("apply", { options: ["--prove"] })}`] : [];
  const how = ["Nothing of yours was changed. To switch:", `  ${command}`, ...byHand];
  const isFine = verdict.verdict === "fine";
  const exit = { fine: EXIT.ok, breaks: EXIT.no, unknown: EXIT.refused }[verdict.verdict];
  const stays = { data: { ...data, action: "rehearsed" }, lines: [...lines, ...how], exit };
  if (!isFine || !fits || npm === undefined) {
    if (options.switch !== true) return stays;
    const by = fits ? "this OpenClaw is not npm's global one: update it as above" : "it would run unpatched";
    const why = isFine ? by : ENDS[verdict.verdict];
    return { ...stays, warnings: [`not switched: ${why}`], exit: isFine ? EXIT.refused : exit };
  }
  const question = `Switch now (${command}, then apply and prove)?`;
  if (options.switch !== true) {
    if (!asks(options)) return stays;
    if (!(await isWanted(lines, question))) return { ...stays, lines: how };
  }
  const done = await doSwitch(found, npm);
  return {
    data: { ...data, action: "switched" },
    lines: [...(options.switch === true ? lines : []), ...done.lines, ...afterSwitch(found.root)],
    warnings: done.warnings ?? [],
    exit,
  };
}

async function isWanted(lines: readonly string[], question: string): Promise<boolean> {
  try {
    await ask(lines, question);
    return true;
  } catch (error) {
    if (error instanceof CodedError && error.code === "declined") return false;
    throw error;
  }
}
