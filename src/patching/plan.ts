/** What applying would do to an installation, computed from its bytes. Reads only; whatever does not fit is thrown here. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chunksWith } from "./chunks.ts";
import type { ChunkText } from "./chunks.ts";
import { insertAll, prove } from "./edit.ts";
import { PatchError, refusal } from "./errors.ts";
import { builtGuard, checkGuard, GUARD_FILE, guardImport } from "./guard-file.ts";
import { sha256 } from "./hash.ts";
import type { Installation } from "./installation.ts";
import { readInstallation } from "./installation.ts";
import type { Insertion } from "./insertion.ts";
import { Mismatch } from "./insertion.ts";
import { locate } from "./locate.ts";
import { isMarked, unmark } from "./marks.ts";
import { NEEDLES, PATCH_POINTS, PATCH_SET } from "./points.ts";
import type { PointId } from "./points.ts";

/** One file of OpenClaw that gets lines. */
export interface FilePlan {
  readonly file: string;
  readonly original: string;
  readonly patched: string;
  /** What is on disk now: the published file, what we would write, or an older patch set of ours. */
  readonly state: "original" | "patched" | "outdated";
  readonly points: readonly PointId[];
}

/** Everything applying would do. */
export interface Plan {
  readonly root: string;
  readonly release: string;
  readonly files: readonly FilePlan[];
  readonly guard: { readonly file: string; readonly text: string; readonly state: "missing" | "current" | "different" };
}

/** Options of every function that needs to know what goes in. */
export interface PatchOptions {
  /** The guard's text, instead of the built one. */
  readonly guard?: string;
}

/** Plans the patch of the OpenClaw in `root`. Throws a PatchError for an installation that must not be touched. */
export function plan(root: string, options: PatchOptions = {}): Plan {
  const installation = readInstallation(root);
  const guard = options.guard ?? builtGuard();
  checkGuard(guard);
  const chunks = chunksWith(root, NEEDLES).map((chunk) => ({ ...chunk, ...currentOf(chunk) }));
  checkPublished(installation, chunks);
  const files = chunks.flatMap((chunk) => planFile(installation, chunk) ?? []);
  checkCopies(installation, files);
  const place = join(root, GUARD_FILE);
  const present = existsSync(place) ? readFileSync(place, "utf8") : undefined;
  const state = present === undefined ? "missing" : present === guard ? "current" : "different";
  return { root, release: installation.facts.release, files, guard: { file: GUARD_FILE, text: guard, state } };
}

interface CurrentChunk extends ChunkText {
  readonly original: string;
}

function currentOf({ file, text }: ChunkText): CurrentChunk {
  return { file, text, original: isMarked(text) ? unmark(text).original : text };
}

function checkPublished({ root, facts }: Installation, chunks: readonly CurrentChunk[]): void {
  for (const [file, hash] of Object.entries(facts.files)) {
    const chunk = chunks.find((candidate) => candidate.file === file);
    const found = chunk === undefined ? undefined : sha256(chunk.original);
    if (found === hash) continue;
    const what = isMarked(chunk?.text ?? "") ? "a patched file that does not lead back to it" : "another file";
    throw refusal("openclaw-modified", {
      expected: `${file} as published with OpenClaw ${facts.release} (sha256 ${hash})`,
      found: found === undefined ? `no such file with the code in question in ${root}` : `${what} (sha256 ${found}) in ${root}`,
      todo: `Install openclaw@${facts.release} anew and take back any patch of your own to this file; nothing was changed.`,
    });
  }
}

function planFile({ facts }: Installation, chunk: CurrentChunk): FilePlan | undefined {
  const insertions = pointMismatch(chunk, () => locate(chunk.file, chunk.original, facts.release, guardImport(chunk.file)));
  if (insertions.length === 0) return undefined;
  const header = { patchSet: PATCH_SET, release: facts.release, original: sha256(chunk.original) };
  const patched = pointMismatch(chunk, () => insertAll(chunk.original, insertions, header));
  // What is on disk already was proven before it was written.
  if (chunk.text !== patched) pointMismatch(chunk, () => prove(chunk.original, patched, insertions.length));
  const state = chunk.text === patched ? "patched" : isMarked(chunk.text) ? "outdated" : "original";
  return { file: chunk.file, original: chunk.original, patched, state, points: pointsOf(insertions) };
}

/** A static import belongs to the point it serves and is no copy of it. */
function pointsOf(insertions: readonly Insertion[]): readonly PointId[] {
  return insertions.filter(({ where }) => where !== "top").map(({ point }) => point);
}

function pointMismatch<Value>(chunk: ChunkText, find: () => Value): Value {
  try {
    return find();
  } catch (error) {
    if (error instanceof PatchError) throw error;
    const line = error instanceof Mismatch ? ` at line ${chunk.text.slice(0, error.offset).split("\n").length}` : "";
    throw refusal("point-mismatch", {
      expected: "code around the patch point as src/patching/locate*.ts describes it",
      found: `${error instanceof Error ? error.message : String(error)} in ${chunk.file}${line}`,
      todo: "The patch points must be adapted to this release; nothing was changed.",
      cause: error,
    });
  }
}

function checkCopies({ facts }: Installation, files: readonly FilePlan[]): void {
  const stray = files.filter(({ file }) => !(file in facts.files));
  if (stray.length > 0) {
    throw refusal("openclaw-modified", {
      expected: `patch points in ${Object.keys(facts.files).join(", ")} only`,
      found: `more of them in ${stray.map(({ file }) => file).join(", ")}`,
      todo: `Install openclaw@${facts.release} anew; nothing was changed.`,
    });
  }
  for (const { id, copies, hangsOn } of PATCH_POINTS) {
    const found = files.flatMap(({ points }) => points).filter((point) => point === id).length;
    if (found === copies[facts.release]) continue;
    throw refusal("point-mismatch", {
      expected: `${copies[facts.release]} copies of the patch point ${id} in OpenClaw ${facts.release}`,
      found: `${found}`,
      todo: `It hangs on: ${hangsOn}. Adapt src/patching/ to this release; nothing was changed.`,
    });
  }
}
