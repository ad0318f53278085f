/** The patch of one OpenClaw as a list of lines: small enough for a cache, and checked by hashes at both ends. */
import { isMarked, unmark } from "../patching/base/marks.ts";
import { sha256 } from "../patching/base/hash.ts";

/** A file of OpenClaw that is given to Node with more lines than it has on the disk. */
export interface ServedFile {
  /** Path in the package, with forward slashes. */
  readonly file: string;
  /** SHA-256 of the file on the disk from which the patch was planned. */
  readonly disk: string;
  /** SHA-256 of the patched text. */
  readonly patched: string;
  /** The inserted lines, each with the number of published lines before it. */
  readonly lines: readonly (readonly [before: number, line: string])[];
}

/** All that is needed to run an OpenClaw patched. */
export interface Served {
  readonly root: string;
  readonly release: string;
  /** Whether the release is recorded as tested. */
  readonly known: boolean;
  readonly patchSet: string;
  readonly files: readonly ServedFile[];
  readonly leftOut: readonly { readonly point: string; readonly reason: string }[];
}

/** Describes how `patched` is made of the file on the disk. `disk` may have lines of an earlier patch. */
export function servedFile(file: string, disk: string, patched: string): ServedFile {
  const { original } = unmark(patched);
  const published = original.split("\n");
  const lines: [number, string][] = [];
  let before = 0;
  for (const line of patched.split("\n")) {
    if (isMarked(line)) lines.push([before, line]);
    else before += 1;
  }
  if (before !== published.length) throw new Error(`${file} has a mark that ends no line`);
  return { file, disk: sha256(disk), patched: sha256(patched), lines };
}

/**
 * The patched text of a file; undefined when the file on the disk is another one than the patch was planned for. A file
 * that is patched on the disk comes back as it is.
 */
export function patchedText({ disk, patched, lines }: ServedFile, bytes: string | Uint8Array): string | undefined {
  const hash = sha256(bytes);
  const text = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8");
  if (hash === patched) return text;
  if (hash !== disk) return undefined;
  const published = (isMarked(text) ? unmark(text).original : text).split("\n");
  const pieces: string[] = [];
  let from = 0;
  for (const [before, line] of lines) {
    const to = Math.min(before, published.length);
    for (; from < to; from += 1) pieces.push(published[from]!);
    pieces.push(line);
  }
  for (; from < published.length; from += 1) pieces.push(published[from]!);
  const made = pieces.join("\n");
  return sha256(made) === patched ? made : undefined;
}

/** Reads what {@link Served} became as JSON; undefined for anything else. */
export function parseServed(value: unknown): Served | undefined {
  if (!isRecord(value)) return undefined;
  const { root, release, known, patchSet, files, leftOut } = value;
  if (typeof root !== "string" || typeof release !== "string" || typeof patchSet !== "string") return undefined;
  if (typeof known !== "boolean" || !Array.isArray(files) || !files.every(isServedFile)) return undefined;
  if (!Array.isArray(leftOut) || !leftOut.every(isLeftOut)) return undefined;
  return { root, release, known, patchSet, files, leftOut };
}

function isServedFile(value: unknown): value is ServedFile {
  if (!isRecord(value)) return false;
  const { file, disk, patched, lines } = value;
  return [file, disk, patched].every((text) => typeof text === "string") && Array.isArray(lines) && lines.every(isLine);
}

function isLine(value: unknown): boolean {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && typeof value[1] === "string";
}

function isLeftOut(value: unknown): value is Served["leftOut"][number] {
  return isRecord(value) && typeof value["point"] === "string" && typeof value["reason"] === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
