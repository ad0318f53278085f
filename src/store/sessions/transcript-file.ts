/**
 * JSONL transcripts of any size, read in chunks and never as one string. Existing bytes are never changed; rows are
 * added at the end.
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { resolvePlace, UnsafePathError } from "../../base/files/index.ts";
import { isCurrentHeader } from "../../transcript/entries.ts";
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { hasCode, describeError, storeError, StoreError } from "../errors.ts";
import { readLines } from "../read-lines.ts";
import { TranscriptTree, type Place } from "./transcript-tree.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

const CHUNK = 256 * 1024;
/** Windows has no links to follow. */
const { O_RDWR, O_NOFOLLOW = 0 } = constants;

/** A transcript file as it was when it was opened. */
export class TranscriptFile {
  readonly path: string;
  readonly tree = new TranscriptTree();
  /** The first row, when it is a header. */
  header: JsonObject | undefined;
  /** What is wrong with the file, in sentences for users. The rest of the file can be used all the same. */
  readonly problems: readonly string[];
  #size = 0;
  #isEnded = true;

  /** Reads the file's tree. Throws `session-missing` and `store-unreadable`. */
  constructor(path: string) {
    this.path = path;
    this.problems = withFile(path, "r", (handle) => this.#readRows(handle));
  }

  /** Reads an entry in full. Throws `store-unreadable`, and `session-missing` when the file is gone. */
  read(id: string): JsonObject {
    return withFile(this.path, "r", (handle) => readRow(readBytes(handle, this.#findPlace(id)), id, this.path));
  }

  /** Reads these entries in full, one after the other. Throws as {@link read}, or what opening the file throws. */
  *readAll(ids: readonly string[]): Generator<JsonObject> {
    const handle = openSync(this.path, "r");
    try {
      // Most rows of a path are adjacent in the file, so they are read together.
      const chunk: { bytes: Buffer; at: number } = { bytes: Buffer.alloc(0), at: 0 };
      for (const id of ids) {
        const { at, length } = this.#findPlace(id);
        if (at < chunk.at || at + length > chunk.at + chunk.bytes.length) {
          chunk.bytes = readBytes(handle, { at, length: Math.max(length, Math.min(CHUNK, this.#size - at)) });
          chunk.at = at;
        }
        yield readRow(chunk.bytes.subarray(at - chunk.at, at - chunk.at + length), id, this.path);
      }
    } finally {
      closeSync(handle);
    }
  }

  /**
   * Appends rows in one write and flushes it to the disk; a last line that was cut off stays as it is, on a line of its
   * own. Throws `session-missing` when the file is gone, `session-busy` when another program has written to it since it
   * was read, and `not-writable` when it cannot be written; the file is as long as before then.
   */
  append(rows: readonly JsonObject[]): void {
    const lines = rows.map((row) => Buffer.from(`${toJson(row)}\n`));
    const bytes = Buffer.concat(this.#isEnded ? lines : [Buffer.from("\n"), ...lines]);
    withFile(this.path, "r+", (handle) => {
      assertSize(handle, this.#size, this.path);
      writeWhole(handle, bytes, this.#size, this.path);
    });
    let at = this.#size + (this.#isEnded ? 0 : 1);
    for (const [nth, row] of rows.entries()) {
      const length = lines[nth]!.length - 1;
      this.tree.add(row, at, length);
      at += length + 1;
    }
    this.#size = at;
    this.#isEnded = true;
  }

  #findPlace(id: string): Place {
    const place = this.tree.place(id);
    if (place === undefined) throw unreadable(this.path, `no entry ${id}`);
    return place;
  }

  #readRows(handle: number): readonly string[] {
    let rows = 0;
    let foreign = 0;
    let nameless = 0;
    let torn = 0;
    for (const { bytes, at, isEnded } of readLines(handle)) {
      this.#size = at + bytes.length + (isEnded ? 1 : 0);
      this.#isEnded = isEnded;
      const row = parse(bytes);
      if (row === undefined) {
        if (isBlank(bytes)) continue;
        if (isEnded) foreign++;
        else torn = bytes.length;
        continue;
      }
      rows++;
      if (rows === 1 && isHeader(row)) this.header = row;
      else if (!this.tree.add(row, at, bytes.length)) nameless++;
    }
    return listProblems({ rows, foreign, nameless, torn, header: this.header });
  }
}

function isHeader(row: unknown): row is JsonObject {
  return isObject(row) && row.type === "session" && typeof row.id === "string";
}

function listProblems({
  rows,
  foreign,
  nameless,
  torn,
  header,
}: {
  rows: number;
  foreign: number;
  nameless: number;
  torn: number;
  header: JsonObject | undefined;
}): string[] {
  return [
    ...(rows > 0 && header === undefined
      ? ["the file has no header; an unpatched OpenClaw empties such a file when it opens it"]
      : []),
    ...(header !== undefined && !isCurrentHeader(header)
      ? ["the file is in an old format, which OpenClaw replaces when it opens it"]
      : []),
    ...(foreign > 0
      ? [`${foreign} ${foreign === 1 ? "line is" : "lines are"} not JSON and skipped, as in OpenClaw`]
      : []),
    ...(nameless > 0 ? [`${nameless} ${nameless === 1 ? "row has" : "rows have"} no id and cannot be reached`] : []),
    ...(torn > 0 ? [`the last line was cut off after ${torn} bytes; it is left as it is`] : []),
  ];
}

/** The JSON value of a line; undefined for a line that is not JSON, or is too long for a string in this Node. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 100 && bytes.toString("latin1").trim() === "";
}

function readBytes(handle: number, { at, length }: Pick<Place, "at" | "length">): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(handle, bytes, 0, length, at));
}

function readRow(bytes: Buffer, id: string, path: string): JsonObject {
  const row = parse(bytes);
  if (!isObject(row) || row.id !== id) throw unreadable(path, `something else where entry ${id} was`);
  return row;
}

function assertSize(handle: number, size: number, path: string): void {
  const found = fstatSync(handle).size;
  if (found === size) return;
  throw storeError("session-busy", {
    expected: `nobody else to write to ${path} (${size} bytes)`,
    found: `${found} bytes now`,
    todo: "Wait until OpenClaw has answered and run it again. Nothing was changed.",
  });
}

/** Writes all bytes or none: after a failed write the file is truncated again. */
function writeWhole(handle: number, bytes: Buffer, at: number, path: string): void {
  try {
    for (let written = 0; written < bytes.length;)
      written += writeSync(handle, bytes, written, bytes.length - written, at + written);
    fsyncSync(handle);
  } catch (error) {
    cutOff(handle, at);
    throw notWritable(path, error);
  }
}

function cutOff(handle: number, size: number): void {
  try {
    ftruncateSync(handle, size);
  } catch {
    // A line that was cut off is skipped when the file is read.
  }
}

function withFile<Value>(path: string, flags: "r" | "r+", work: (handle: number) => Value): Value {
  let handle: number;
  try {
    handle = flags === "r" ? openSync(path, flags) : openSync(ownPath(path), O_RDWR | O_NOFOLLOW);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (hasCode(error, "ENOENT")) {
      throw storeError("session-missing", {
        expected: `a transcript at ${path}`,
        found: "nothing there",
        todo: "OpenClaw or another program has removed it since; a backup may have it. Nothing was changed.",
      });
    }
    throw flags === "r" ? unreadable(path, describeError(error), error) : notWritable(path, error);
  }
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

/** Resolves the user's own links. Throws for those of another user, who could redirect the write. */
function ownPath(path: string): string {
  try {
    return resolvePlace(path, { shared: "allow" }).path;
  } catch (error) {
    if (error instanceof UnsafePathError) throw new StoreError(error.code, error.message, { cause: error });
    throw error;
  }
}

function unreadable(path: string, found: string, cause?: unknown): Error {
  return storeError("store-unreadable", {
    expected: `to read ${path}`,
    found,
    todo: "Run it as the user OpenClaw runs as; nothing was changed.",
    cause,
  });
}

function notWritable(path: string, cause: unknown): Error {
  return storeError(
    "not-writable",
    refusedByDisk(cause, {
      expected: `to write ${path}`,
      asOwner: "Run it as the user OpenClaw runs as, and make the file writable.",
      ending: "The session was not changed.",
    }),
  );
}
