import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entryPosition, leaving, type Leaving, entryMessages } from "../../recovery/summary/leaving.ts";
import { makeExtract } from "../../recovery/summary/extract.ts";
import { CUT_BEGINNING_OPENING } from "../../recovery/words.ts";
import { parseRows } from "../../store/catalog/parse-rows.ts";
import { findHeader, isBoundary, isTreeRow, isUnlinkedReply } from "../../transcript/entries.ts";
import { shortId } from "../../transcript/json/hash.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { marked, readOrigin } from "../../transcript/origin.ts";
import { OWN_TYPE } from "../openclaw/session.ts";
import { MAX_TRANSCRIPT_BYTES } from "./oversized-file.ts";

/** OpenClaw's name of the copy that it makes before it cuts a transcript off: `<file>.bak.<time>`. */
const COPY = ".bak.";

/** How many copies are looked at: an older one has nothing of the conversation that a newer one lacks. */
const MAX_COPIES = 3;

/** A run opens a file within this time behind the guard's look at it. */
const OPENED_MS = 10_000;

/** What an extract of the beginning may take beside the entries that are kept. */
const CHARACTERS = 8000;

/**
 * Returns the rows of a transcript that OpenClaw's `sessions.compact` has cut off, with what the copy beside the file
 * has before them. Early releases keep the last lines alone, without a header, a summary or a word: an extract stands
 * in place of the beginning then. A run that opens such a file finds no session in it, and writes a new one over it:
 * that goes on behind all rows of the copy. The same list for any other file, and where the copy is gone.
 */
export function withCutBeginning(file: string, rows: readonly unknown[]): readonly unknown[] {
  const begun = findHeader(rows);
  if (begun && !isBegunAnew(file, begun)) return rows;
  return withBeginningIn(listCopies(file), rows, begun !== undefined);
}

/**
 * Returns the rows with their beginning, from the newest of the copies that has it. What was cut off twice with no run
 * between has its beginning in older copies. `copies` are the newest first.
 */
function withBeginningIn(copies: readonly string[], rows: readonly unknown[], isAnew: boolean): readonly unknown[] {
  const first = rows.find(isTreeRow);
  if (!first) return rows;
  for (const [at, copy] of copies.entries()) {
    const found = readRows(copy);
    const whole = findHeader(found) ? found : withBeginningIn(copies.slice(at + 1), found, false);
    if (isAnew) return behind(whole, first, rows);
    const path = pathBefore(first, whole);
    if (path.length === 0) continue;
    const header = findHeader(whole);
    const before: readonly unknown[] = header ? [header] : [];
    const boundary = rows.findLast(isBoundary);
    // Of what stands before the newest summary, only what the summary has kept is read.
    if (boundary) return before.concat(withKept(rows, { first, boundary, path }));
    return behind([...before, extractEntry(first, leaving(path, undefined))], first, rows);
  }
  return rows;
}

/**
 * True for a header that was made right behind a copy of the same file: a run has opened what was just cut off. A
 * younger one is of a person who has removed the file to begin anew.
 */
export function isBegunAnew(file: string, { timestamp }: JsonObject): boolean {
  const [newest] = listCopies(file);
  const at = newest?.slice(file.length + COPY.length).replace(/T(\d\d)-(\d\d)-/, "T$1:$2:");
  const after = at === undefined ? Number.NaN : Date.parse(String(timestamp)) - Date.parse(at);
  return after >= 0 && after <= OPENED_MS;
}

/** The rows of a transcript behind others: its first one goes on where these end. */
function behind(before: readonly unknown[], first: JsonObject, rows: readonly unknown[]): readonly unknown[] {
  const last = before.findLast(isTreeRow);
  if (!last) return rows;
  const header = findHeader(rows);
  const linked = rows.map((row) => (row === first ? { ...first, parentId: last.id } : row));
  return before.concat(linked.filter((row) => row !== header));
}

/**
 * The rows, with an extract of what their newest summary has kept and is cut off: OpenClaw keeps nothing then. It
 * stands behind those of earlier cuts, which are of what was said before.
 */
function withKept(
  rows: readonly unknown[],
  { first, boundary, path }: { first: JsonObject; boundary: JsonObject; path: readonly unknown[] },
): readonly unknown[] {
  const from = entryPosition(path, boundary.firstKeptEntryId);
  if (from === undefined) return rows;
  const last = lastNoteBehind(rows, boundary);
  const note = noteEntry(last, first, { messages: entryMessages(path, from, path.length) });
  return rows.flatMap((row) => {
    const linked = isObject(row) && row.parentId === last.id ? { ...row, parentId: note.id } : row;
    const kept = row === boundary ? { ...boundary, firstKeptEntryId: first.id } : linked;
    return row === last ? [kept, note] : [kept];
  });
}

/** The last of the notes right behind a summary that earlier cuts have left there; otherwise the summary. */
function lastNoteBehind(rows: readonly unknown[], boundary: JsonObject): JsonObject {
  let last = boundary;
  for (const row of rows)
    if (isObject(row) && row.parentId === last.id && row.customType === OWN_TYPE && readOrigin(row.details).extract)
      last = row;
  return last;
}

function noteEntry({ id: parentId, timestamp }: JsonObject, first: JsonObject, left: Leaving): JsonObject {
  return {
    type: "custom_message",
    customType: OWN_TYPE,
    id: shortId(`kept before ${String(first.id)}`),
    parentId,
    timestamp,
    content: beginningInWords(left),
    display: false,
    details: marked({}, { extract: true }),
  };
}

function extractEntry(first: JsonObject, left: Leaving): JsonObject {
  const id = shortId(`cut before ${String(first.id)}`);
  return {
    type: "compaction",
    id,
    parentId: null,
    timestamp: first.timestamp,
    summary: beginningInWords(left),
    firstKeptEntryId: id,
    tokensBefore: 0,
    details: marked({ readFiles: [], modifiedFiles: [] }, { extract: true }),
  };
}

function beginningInWords(left: Leaving): string {
  return makeExtract({ ...left, form: "plain", characters: CHARACTERS, opening: CUT_BEGINNING_OPENING });
}

/** The newest copies first: their names end in a time. */
function listCopies(file: string): string[] {
  const beginning = `${basename(file)}${COPY}`;
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(beginning))
    .toSorted()
    .toReversed()
    .slice(0, MAX_COPIES)
    .map((name) => join(dirname(file), name));
}

function readRows(copy: string): readonly unknown[] {
  return statSync(copy).size > MAX_TRANSCRIPT_BYTES ? [] : parseRows(readFileSync(copy, "utf8")).rows;
}

/** The rows of a copy on whose path a row stands, the first one first; none where the copy has none of them. */
function pathBefore(first: JsonObject, copy: readonly unknown[]): JsonObject[] {
  const byId = new Map<unknown, JsonObject>();
  const parents = new Map<unknown, unknown>([[first.id, first.parentId]]);
  let last: unknown;
  for (const row of copy.filter(isTreeRow)) {
    byId.set(row.id, row);
    // A reply of OpenClaw's own names no parent.
    parents.set(row.id, isUnlinkedReply(row) ? last : row.parentId);
    last = row.id;
  }
  const path: JsonObject[] = [];
  for (let row = byId.get(parents.get(first.id)); row; row = byId.get(parents.get(row.id))) {
    path.push(row);
    byId.delete(row.id);
  }
  return path.toReversed();
}
