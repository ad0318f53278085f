/**
 * The record of patched installations, kept outside the packages so that it survives an update that replaces them:
 * `integrity/applied.json` in OpenClaw's state directory. It only helps to explain to users what happened. Nothing
 * depends on it, so a missing, damaged or unwritable record is at most a warning.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, replaceFile } from "../../base/files/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** `pending`: a proof was begun and has not ended, or could not be run. */
export type RecordedProof = "pending" | "proven";

/** What a proof ran, and what it found. */
export interface RecordedRun {
  readonly release: string;
  /** The guard among OpenClaw's files. */
  readonly guard?: { readonly version: string; readonly sha256: string };
  readonly node?: { readonly path: string; readonly version: string };
  /** When the proof was run, in ISO 8601. */
  readonly at: string;
  /** `proven`, or what prevented it: `patch`, `release`, `environment`. */
  readonly verdict: string;
  /** The verdict and its reason on one line. */
  readonly sentence: string;
}

/** One OpenClaw that was patched. */
export interface AppliedPatch {
  /** The real path of its folder. */
  readonly root: string;
  readonly release: string;
  readonly patchSet: string;
  /** When it was patched, in ISO 8601. */
  readonly appliedAt: string;
  /** How it was found, and its paths before symbolic links were resolved. */
  readonly ways: readonly string[];
  readonly places: readonly string[];
  /** The operator had it patched although it is not as published. */
  readonly fork?: boolean;
  /** What is known of a proof of this patch on this machine; absent when none was begun. */
  readonly proof?: RecordedProof;
  /** The last proof of this patch on this machine. */
  readonly run?: RecordedRun;
}

const VERSION = 1;

/** Path of the record. */
export function recordFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateDirectory(env), "integrity", "applied.json");
}

/** Reads the entries of the record; none when it is missing or cannot be read. Never throws. */
export function readRecord(env: NodeJS.ProcessEnv = process.env): readonly AppliedPatch[] {
  const { version, applied } = readJsonObject(recordFile(env)) ?? {};
  return version === VERSION && Array.isArray(applied)
    ? applied.flatMap((entry: unknown) => parseEntry(entry) ?? [])
    : [];
}

/**
 * The entry of this OpenClaw: the one with the same real folder, else the latest with one of the same paths, because
 * with pnpm an update is a new folder behind the same symbolic link.
 */
export function findEntry(
  entries: readonly AppliedPatch[],
  root: string,
  places: readonly string[],
): AppliedPatch | undefined {
  return (
    entries.find((entry) => entry.root === root) ??
    entries.findLast((entry) => entry.places.some((place) => places.includes(place)))
  );
}

/**
 * Adds or replaces an entry, and removes those whose folder is gone. Returns a warning when the record cannot be
 * written.
 */
export function remember(entry: AppliedPatch, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const otherEntries = readRecord(env).filter(({ root }) => root !== entry.root && existsSync(root));
  return write([...otherEntries, entry], env);
}

/** What is known of a proof of this patch of this release on this machine; undefined when none was begun. */
export function recordedProof(
  { root, release, patchSet }: Pick<AppliedPatch, "root" | "release" | "patchSet">,
  env: NodeJS.ProcessEnv = process.env,
): RecordedProof | undefined {
  const entry = readRecord(env).find((one) => one.root === root);
  return entry?.release === release && entry.patchSet === patchSet ? entry.proof : undefined;
}

/**
 * Notes a proof of a recorded installation; does nothing when it has no entry. Returns a warning when the record cannot
 * be written.
 */
export function rememberProof(
  root: string,
  run: RecordedRun,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const entry = readRecord(env).find((one) => one.root === root);
  const proof = run.verdict === "proven" ? "proven" : "pending";
  return entry === undefined ? undefined : remember({ ...entry, proof, run: pickRun(run) }, env);
}

/** The part of a prover's report that is recorded. */
export function pickRun({ release, guard, node, at, verdict, sentence }: RecordedRun): RecordedRun {
  return { release, ...(guard && { guard }), ...(node && { node }), at, verdict, sentence };
}

/** Whether a value of a record is a run. */
export function isRun(value: unknown): value is RecordedRun {
  if (typeof value !== "object" || value === null) return false;
  const { release, at, verdict, sentence, guard, node } = value as Record<string, unknown>;
  const isPair = (pair: unknown, name: string): boolean =>
    pair === undefined ||
    (typeof pair === "object" &&
      pair !== null &&
      isTexts([(pair as Record<string, unknown>)[name], (pair as Record<string, unknown>).version]));
  return isTexts([release, at, verdict, sentence]) && isPair(guard, "sha256") && isPair(node, "path");
}

/** Removes the entry of a folder, if there is one. Returns a warning when the record cannot be written. */
export function forget(root: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const entries = readRecord(env);
  const otherEntries = entries.filter((entry) => entry.root !== root);
  return otherEntries.length === entries.length ? undefined : write(otherEntries, env);
}

function write(applied: readonly AppliedPatch[], env: NodeJS.ProcessEnv): string | undefined {
  const file = recordFile(env);
  try {
    // OpenClaw's folder is private to its user; so is this one when it is made here first.
    makeFolder(dirname(file));
    replaceFile(file, `${JSON.stringify({ version: VERSION, applied }, null, 2)}\n`, {
      mode: 0o600,
      below: stateDirectory(env),
    });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return (
      `the record of patched installations could not be written (${reason}); after an update, status cannot ` +
      "report what happened to the patch"
    );
  }
}

function parseEntry(value: unknown): AppliedPatch | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { root, release, patchSet, appliedAt, ways, places, fork, proof, run } = value as Record<string, unknown>;
  const texts = [root, release, patchSet, appliedAt];
  if (!texts.every((text) => typeof text === "string") || !isTexts(ways) || !isTexts(places)) return undefined;
  const [rootText = "", releaseText = "", patchSetText = "", appliedAtText = ""] = texts;
  return {
    root: rootText,
    release: releaseText,
    patchSet: patchSetText,
    appliedAt: appliedAtText,
    ways,
    places,
    ...(fork === true && { fork }),
    ...((proof === "pending" || proof === "proven") && { proof }),
    ...(isRun(run) && { run }),
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
