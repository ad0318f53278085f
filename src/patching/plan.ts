/** Plans the patch of an installation from its bytes. Reads only; everything that does not fit is thrown here. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { insertAll, prove } from "./write/edit.ts";
import { patchError } from "./base/errors.ts";
import { builtGuard, checkGuard } from "./write/built-guard.ts";
import { GUARD_FILE } from "./base/guard-file.ts";
import { sha256 } from "./base/hash.ts";
import { type Installation, readInstallation } from "./find/installation.ts";
import { type Insertion, Mismatch } from "./source/insertion.ts";
import { inventories, type Inventory, listedDigests } from "./write/inventory.ts";
import { type Header, isMarked } from "./base/marks.ts";
import { PATCH_SET } from "./points/index.ts";
import { lineAt } from "./base/text.ts";
import type { Fork } from "./locate/fork.ts";
import { type Survey, type SurveyedChunk, survey } from "./locate/survey.ts";
import { type Verdict, listInsertions, refusedIn } from "./locate/verdict.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** A file of OpenClaw that is changed. */
export interface FilePlan {
  readonly file: string;
  readonly original: string;
  readonly patched: string;
  /** The file on disk now: as published, as it would be written, or with an older patch set. */
  readonly state: "original" | "patched" | "outdated";
  /** Ids of the patch points in it, one for each copy. */
  readonly points: readonly string[];
  /** OpenClaw's list of contents has another digest of it, and keeps that one. */
  readonly isUnlisted?: boolean;
}

/** One of OpenClaw's own lists of its files. */
export interface ListPlan extends FilePlan {
  /** The published list with the guard in it. */
  readonly withGuard: string;
}

/** All changes that `apply` would make. */
export interface Plan {
  readonly root: string;
  readonly release: string;
  /** False for a release that is not recorded: it is patched because its code fits, but nobody has checked it. */
  readonly known: boolean;
  readonly files: readonly FilePlan[];
  /** OpenClaw's own lists of its files, which name ours; no patch point lies in them. */
  readonly lists: readonly ListPlan[];
  /** What differs from the published OpenClaw, in a fork. */
  readonly fork?: Fork;
  /** What this release cannot have and the patch can do without. */
  readonly leftOut: readonly { readonly point: string; readonly reason: string }[];
  readonly guard: { readonly file: string; readonly text: string; readonly state: "missing" | "current" | "different" };
}

/** Options of the functions that need the guard's text. */
export interface PatchOptions {
  /** The guard's text, instead of the built one. */
  readonly guard?: string;
  /** Patches an OpenClaw that is not as published, if its code fits. */
  readonly fork?: boolean | undefined;
}

/** Plans the patch of the OpenClaw in `root`. Throws a PatchError for an installation that must not be touched. */
export function plan(root: string, options: PatchOptions = {}): Plan {
  // A guard that lacks something is refused before a hundred megabytes are read.
  const guard = guardText(options);
  return planSurvey(survey(readInstallation(root), options), guard);
}

/** Returns the text of the guard that is inserted. Throws `guard-missing`. */
export function guardText({ guard = builtGuard() }: PatchOptions = {}): string {
  checkGuard(guard);
  return guard;
}

/** Plans the patch of a surveyed OpenClaw. Throws what plan() throws. */
export function planSurvey({ installation, chunks, verdicts, fork }: Survey, guard: string): Plan {
  const { root } = installation;
  checkPublished(installation, chunks);
  checkVerdicts(installation, verdicts);
  const listed = fork && listedDigests(root);
  const files = chunks.flatMap(
    (chunk) => planFile(installation, chunk, listInsertions(verdicts, chunk.file), listed) ?? [],
  );
  checkPlaces(
    installation,
    files.map(({ file }) => file),
  );
  const leftOut = verdicts.flatMap(({ outcome, point, reason }) =>
    outcome === "left-out" ? [{ point: point.id, reason: reason ?? "" }] : [],
  );
  return {
    root,
    release: installation.release,
    known: installation.known !== undefined,
    ...(fork && { fork }),
    files,
    lists: inventories(root, [...files, { file: GUARD_FILE, original: undefined, patched: guard }]).map(planList),
    leftOut,
    guard: { file: GUARD_FILE, text: guard, state: guardState(root, guard) },
  };
}

function planList({ file, text, original, withAdded, patched }: Inventory): ListPlan {
  const state = text === patched ? "patched" : text === original ? "original" : "outdated";
  return { file, original, withGuard: withAdded, patched, state, points: [] };
}

function guardState(root: string, guard: string): Plan["guard"]["state"] {
  const place = join(root, GUARD_FILE);
  const present = existsSync(place) ? readFileSync(place, "utf8") : undefined;
  if (present === undefined) return "missing";
  return present === guard ? "current" : "different";
}

/** Throws unless every file of a known release has its published content, with inserted lines or without them. */
function checkPublished({ root, release, known }: Installation, chunks: readonly SurveyedChunk[]): void {
  for (const [file, hash] of Object.entries(known?.files ?? {})) {
    const chunk = chunks.find((candidate) => candidate.file === file);
    const found = chunk === undefined ? undefined : sha256(chunk.original);
    if (found === hash) continue;
    const what = isMarked(chunk?.text ?? "") ? "a patched file with another original" : "another file";
    throw patchError("openclaw-modified", {
      expected: `${file} as published with OpenClaw ${release} (sha256 ${hash})`,
      found:
        found === undefined ? `no such file with the patched code in ${root}` : `${what} (sha256 ${found}) in ${root}`,
      todo: asPublishedOrFork(release),
    });
  }
}

function checkVerdicts(installation: Installation, verdicts: readonly Verdict[]): void {
  const refused = refusedIn(verdicts);
  if (refused === undefined) return;
  checkPlaces(
    installation,
    refused.findings.map(({ file }) => file),
  );
  throw patchError("point-mismatch", {
    ...describeMismatch(refused, installation.release),
    todo:
      `It depends on: ${refused.point.dependsOn}. Run ${ownCommand("explain")} for the places; ` +
      "nothing was changed.",
  });
}

/** What was expected and found of a patch point that does not fit. */
export function describeMismatch(
  { point, expected, found, reason = "" }: Verdict,
  release: string,
): { readonly expected: string; readonly found: string } {
  return {
    expected: `${expected} copies of the patch point ${point.id} in OpenClaw ${release}`,
    found: `${found}: ${reason}`,
  };
}

function planFile(
  { release, known }: Installation,
  chunk: SurveyedChunk,
  insertions: readonly Insertion[],
  /** The digests in OpenClaw's list, of a fork. */
  listed: ReadonlyMap<string, string> | undefined,
): FilePlan | undefined {
  if (insertions.length === 0) return undefined;
  const original = sha256(chunk.original);
  const withHeader = (more: Partial<Header>): string =>
    standingAlone(chunk, () =>
      insertAll(chunk.original, insertions, { patchSet: PATCH_SET, release, original, ...more }),
    );
  const asListed = withHeader(listed ? { fork: true } : {});
  const isUnlisted = listed !== undefined && isWrongIn(listed, chunk, [original, sha256(asListed)]);
  const patched = isUnlisted ? withHeader({ fork: true, unlisted: true }) : asListed;
  // A file that is on disk already was proven before it was written; a known release was parsed as a whole when it was
  // recorded.
  if (chunk.text !== patched)
    standingAlone(chunk, () => prove(chunk.original, patched, insertions.length, known === undefined));
  const state = chunk.text === patched ? "patched" : isMarked(chunk.text) ? "outdated" : "original";
  const points = insertions.filter(({ where }) => where !== "top").map(({ point }) => point);
  return {
    file: chunk.file,
    original: chunk.original,
    patched,
    state,
    points,
    ...(isUnlisted && { isUnlisted }),
  };
}

/** Whether a list had a wrong digest of the file before it was patched. */
function isWrongIn(
  listed: ReadonlyMap<string, string>,
  { file, header }: SurveyedChunk,
  right: readonly string[],
): boolean {
  if (header !== undefined) return header.unlisted === true;
  const digest = listed.get(file);
  return digest !== undefined && !right.includes(digest);
}

function standingAlone<Value>({ file, original }: SurveyedChunk, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const line = error instanceof Mismatch ? ` at line ${lineAt(original, error.offset)}` : "";
    throw patchError("outcome-invalid", {
      expected: "whole lines that can be put in and taken out again, and a file that parses",
      found: `${error instanceof Error ? error.message : String(error)} in ${file}${line}`,
      todo: "The patch points must be adapted to this release; nothing was changed.",
      cause: error,
    });
  }
}

/** Throws when a known release has patch points in other files than the recorded ones. */
function checkPlaces({ release, known }: Installation, files: readonly string[]): void {
  const stray = known === undefined ? [] : files.filter((file) => !(file in known.files));
  if (stray.length === 0) return;
  throw patchError("openclaw-modified", {
    expected: `patch points in ${Object.keys(known?.files ?? {}).join(", ")} only`,
    found: `more of them in ${[...new Set(stray)].join(", ")}`,
    todo: asPublishedOrFork(release),
  });
}

function asPublishedOrFork(release: string): string {
  return (
    `Reinstall openclaw@${release}; or, if this is a fork or a build of your own, have it patched as it is: ` +
    `${ownCommand("apply", { options: ["--fork"] })}. Nothing was changed.`
  );
}
