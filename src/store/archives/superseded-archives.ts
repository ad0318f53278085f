import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findTranscript } from "./archive-file.ts";
import { readLines } from "../read-lines.ts";
import { isObject, toJson, parsedJson } from "../../transcript/json/json.ts";

/** How many archives of a transcript stay, whatever is in them. */
const KEPT = 8;

/**
 * Removes the oldest archives of a transcript (archive-file.ts) that a newer one makes needless: one with all their
 * rows, under whatever ids and parents. An archive with a row that the newest one lacks stays: a reset or a file that
 * was too large has left it. Each repair of a JSONL transcript calls this: its archives would have no limit.
 * Returns how many were removed.
 */
export function removeSuperseded(file: string, newest: string): number {
  const archives = archivesFromOldest(file);
  if (archives.length <= KEPT) return 0;
  let removed = 0;
  const rows = new Set(hashRows(newest));
  for (const archive of archives.slice(0, archives.length - KEPT)) {
    if (archive === newest || !isWithin(archive, rows)) continue;
    rmSync(archive, { force: true });
    removed++;
  }
  return removed;
}

function archivesFromOldest(file: string): string[] {
  const folder = dirname(file);
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => findTranscript(path) === file)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ path }) => path);
}

/** Whether an archive has no row beside these. False for one without any row, of a file that could not be read. */
function isWithin(archive: string, rows: ReadonlySet<string>): boolean {
  let count = 0;
  for (const content of hashRows(archive)) {
    if (!rows.has(content)) return false;
    count++;
  }
  return count > 0;
}

/** What each row says, without its place in the tree; as a hash, so that a large transcript is not held twice. */
function* hashRows(path: string): Generator<string> {
  const handle = openSync(path, "r");
  try {
    for (const { bytes } of readLines(handle)) {
      const row = parsedJson(bytes.toString("utf8"));
      if (row === undefined || (isObject(row) && row.type === "session")) continue;
      yield createHash("sha256")
        .update(toJson(rowContent(row)))
        .digest("base64");
    }
  } finally {
    closeSync(handle);
  }
}

function rowContent(row: unknown): unknown {
  if (!isObject(row)) return row;
  if (row.type === "message") return row.message;
  const { id: _id, parentId: _parentId, ...content } = row;
  return content;
}
