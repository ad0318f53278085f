import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { transcriptOf } from "./archive-file.ts";
import { readLines } from "../read-lines.ts";

import { isObject, toJson, parsedJson } from "../../transcript/json/json.ts";

/** So many copies of a transcript stay, whatever is in them. */
const KEPT = 8;

/**
 * Removes the oldest copies of a transcript that a newer one makes needless: one with all their rows, under whatever
 * ids and parents. A copy with a row that the newest one lacks stays: a reset or a file that was too large has left it.
 * Returns how many were removed.
 */
export function removeSuperseded(file: string, newest: string): number {
  const copies = copiesOf(file);
  if (copies.length <= KEPT) return 0;
  let removed = 0;
  const rows = new Set(contentsOf(newest));
  for (const copy of copies.slice(0, copies.length - KEPT)) {
    if (copy === newest || !isWithin(copy, rows)) continue;
    rmSync(copy, { force: true });
    removed++;
  }
  return removed;
}

/** The copies of a transcript, the oldest first. */
function copiesOf(file: string): string[] {
  const folder = dirname(file);
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => transcriptOf(path) === file)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ path }) => path);
}

/** False also for a copy without any row, of a file in which nothing could be read. */
function isWithin(copy: string, rows: ReadonlySet<string>): boolean {
  let count = 0;
  for (const content of contentsOf(copy)) {
    if (!rows.has(content)) return false;
    count++;
  }
  return count > 0;
}

/** What each row says, without its place in the tree. */
function* contentsOf(path: string): Generator<string> {
  const handle = openSync(path, "r");
  try {
    for (const { bytes } of readLines(handle)) {
      const row = parsedJson(bytes.toString("utf8"));
      if (row === undefined || (isObject(row) && row.type === "session")) continue;
      yield createHash("sha256")
        .update(toJson(readContent(row)))
        .digest("base64");
    }
  } finally {
    closeSync(handle);
  }
}

function readContent(row: unknown): unknown {
  if (!isObject(row)) return row;
  if (row.type === "message") return row.message;
  const { id: _id, parentId: _parentId, ...content } = row;
  return content;
}
