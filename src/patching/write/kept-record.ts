/**
 * What the automatic application has done for each release of an OpenClaw: `integrity/kept.json` in OpenClaw's state
 * directory. A gateway reads it when it starts, so that a refusal is reported once, a proof that was interrupted is
 * repeated, and no restart follows one that was in vain.
 */
import { dirname, join } from "node:path";
import { makeFolder, replaceFile } from "../../base/files/index.ts";
import { describeError } from "../../base/coded-error.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { isRun, readRecord, type RecordedRun } from "./record.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** How far the automatic application came. */
export type KeptStep =
  /** The files have the patch; the proof has not ended. */
  | "applied"
  /** The patched OpenClaw answered the sessions of the proof. */
  | "proven"
  /** The patch stays although the proof says nothing about it; `reason` says why. */
  | "unproven"
  /**
   * The engine refused the release, the files could not be written, or the proof cannot judge a release that nobody has
   * looked at. The files are as they were.
   */
  | "refused"
  /** The proof refuted the patch, and it was reverted. */
  | "failed"
  /** The operator reverted the patch, and nothing applies it again but the operator. */
  | "reverted";

const STEPS: readonly string[] = ["applied", "proven", "unproven", "refused", "failed", "reverted"];

/** The automatic application for one release of one OpenClaw. */
export interface Kept {
  /** The real path of OpenClaw's folder. */
  readonly root: string;
  readonly release: string;
  /** SHA-256 of the guard that was tried: a newer guard may fit where an older one did not. */
  readonly guard: string;
  readonly step: KeptStep;
  /** Why it was refused, failed or is unproven. */
  readonly reason?: string;
  /** The last proof. */
  readonly run?: RecordedRun;
  /** How many proofs the machine has prevented one after the other; absent where that is not why it is unproven. */
  readonly tries?: number;
  /** When this step was recorded, in ISO 8601. */
  readonly at: string;
  /**
   * When the gateway was told to restart for this release, in ISO 8601. It is told a second time only after it came
   * back with the patch (`isReported`).
   */
  readonly restartedAt?: string;
  /** The operator was told that the patch is active again. */
  readonly isReported?: boolean;
}

const VERSION = 1;
/** A year of releases for a handful of installations. */
const MAX_ENTRIES = 200;

/** Path of the record. */
function keptFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateDirectory(env), "integrity", "kept.json");
}

/** Reads the record, oldest entry first; none when it is missing or cannot be read. Never throws. */
export function readKept(env: NodeJS.ProcessEnv = process.env): readonly Kept[] {
  const { version, kept } = readJsonObject(keptFile(env)) ?? {};
  return version === VERSION && Array.isArray(kept) ? kept.filter(isKept) : [];
}

/** The entry of a release of an OpenClaw. */
export function findKept(root: string, release: string, env: NodeJS.ProcessEnv = process.env): Kept | undefined {
  return readKept(env).find((entry) => entry.root === root && entry.release === release);
}

/**
 * Adds or replaces the entry of a release. Throws what the file system throws: without the record nothing may be
 * restarted, because nothing would know of it afterwards.
 */
export function recordKept(entry: Kept, env: NodeJS.ProcessEnv = process.env): void {
  const otherEntries = readKept(env).filter(({ root, release }) => root !== entry.root || release !== entry.release);
  write([...otherEntries, entry].slice(-MAX_ENTRIES), env);
}

/**
 * Records that the operator reverted the patch, where the automatic application or the command line has applied it
 * before: nothing applies it again but the operator. Returns a warning when this cannot be written.
 */
export function recordReverted(
  root: string,
  release: string,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const isKnown = [...readKept(env), ...readRecord(env)].some((entry) => entry.root === root);
  if (!isKnown) return undefined;
  try {
    recordKept({ root, release, guard: "", step: "reverted", at: new Date().toISOString() }, env);
    return undefined;
  } catch (error) {
    return (
      `that the patch was reverted could not be recorded (${describeError(error)}); a plugin with keepPatched ` +
      "applies it again"
    );
  }
}

/**
 * Removes the entries of an OpenClaw, as `apply` does: the operator wants the patch, whatever happened before. Returns
 * a warning when this cannot be written.
 */
export function forgetKept(root: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const entries = readKept(env);
  const otherEntries = entries.filter((entry) => entry.root !== root);
  if (otherEntries.length === entries.length) return undefined;
  try {
    write(otherEntries, env);
    return undefined;
  } catch (error) {
    return (
      `the record of the automatic application could not be changed (${describeError(error)}); a patch that was ` +
      "reverted once is not applied again by the plugin"
    );
  }
}

function write(kept: readonly Kept[], env: NodeJS.ProcessEnv): void {
  const file = keptFile(env);
  makeFolder(dirname(file));
  replaceFile(file, `${JSON.stringify({ version: VERSION, kept }, null, 2)}\n`, {
    mode: 0o600,
    below: stateDirectory(env),
  });
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false;
  const { root, release, guard, step, at, reason, run, tries, restartedAt, isReported } = value as Record<
    string,
    unknown
  >;
  return (
    [root, release, guard, at].every((text) => typeof text === "string") &&
    STEPS.includes(String(step)) &&
    [reason, restartedAt].every((text) => text === undefined || typeof text === "string") &&
    (run === undefined || isRun(run)) &&
    (tries === undefined || Number.isSafeInteger(tries)) &&
    (isReported === undefined || typeof isReported === "boolean")
  );
}
