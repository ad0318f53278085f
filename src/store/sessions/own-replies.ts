/** Links replies of OpenClaw's own, which it appends without a parent, to the rows before them. */
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { resolvePlace } from "../../base/files/index.ts";
import { isTreeRow, isUnlinkedReply } from "../../transcript/entries.ts";
import { type JsonObject, parsedJson, toJson } from "../../transcript/json/json.ts";
import { type Line, readLines } from "../read-lines.ts";

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_NOFOLLOW = 0 } = constants;
const LINE_FEED = Buffer.from("\n");
const SPACE = 32;

/** A row with the line that it stands in. */
export interface RowLine {
  readonly row: JsonObject;
  readonly line: Line;
}

/**
 * Gives the replies of OpenClaw's own that end a transcript the row before them as parent. OpenClaw 2026.2 appends them
 * without one, and the next message behind them: all messages before the reply would no longer be on its path.
 * Only the lines from the first reply on are written, in their place; every other line among them keeps its bytes and
 * its place in the order. First the room is appended as a blank line, so that a full disk leaves all rows as they are.
 * `replies` has at least one reply, and `size` is the file's size when they were read. Returns the file's new size;
 * undefined, with nothing written, where the file has another name, of a backup for example. Throws, with no row
 * changed, where somebody has changed the file's size or one of the replies since, or is still writing the last line.
 */
export function linkReplies(
  file: string,
  replies: readonly RowLine[],
  parentId: unknown,
  size: number,
): number | undefined {
  const start = replies[0]!.line.at;
  const { path } = resolvePlace(file, { shared: "allow" });
  if (statSync(path).nlink > 1) return undefined;
  const lines = withOpen(path, O_RDONLY, (handle) => readEnd(handle, start, size));
  const bytes = linkLines(lines, replies, parentId);
  const end = Math.max(size, start + bytes.length);
  const room = end - size;
  if (room > 0) withOpen(path, O_WRONLY | O_APPEND, (handle) => writeAll(handle, blank(room), null, size));
  // What is shorter than before leaves a blank rest.
  const whole = Buffer.concat([bytes, blank(end - start - bytes.length)]);
  withOpen(path, O_RDWR, (handle) => writeAll(handle, whole, start, end));
  return end;
}

/** Reads the lines from a place to the end, without the blank ones that end them: these hold nothing but room. */
function readEnd(handle: number, start: number, size: number): Line[] {
  assertSize(handle, size);
  const lines = [...readLines(handle, start, size)];
  if (lines.at(-1)?.isEnded !== true) throw busyError("a last line with a line feed", "none");
  return lines.slice(0, lines.findLastIndex(({ bytes }) => bytes.some((byte) => byte !== SPACE)) + 1);
}

/** Returns the bytes of the lines, with the replies among them linked. */
function linkLines(lines: readonly Line[], replies: readonly RowLine[], parentId: unknown): Buffer {
  const left = new Map(replies.map((reply) => [reply.line.at, reply]));
  let parent = parentId;
  const parts = lines.flatMap(({ at, bytes }) => {
    const reply = left.get(at);
    if (!reply?.line.bytes.equals(bytes)) return [bytes, LINE_FEED];
    left.delete(at);
    const linked = toJson({ ...reply.row, parentId: parent });
    parent = reply.row.id;
    return [Buffer.from(linked), LINE_FEED];
  });
  if (left.size > 0) throw busyError("the replies as they were read", "others");
  return Buffer.concat(parts);
}

/** Reads a file, and does {@link linkReplies} with the replies that end it, if any. Throws what that throws. */
export function linkLastReplies(file: string): void {
  let last: unknown;
  let replies: RowLine[] = [];
  const { path } = resolvePlace(file, { shared: "allow" });
  const size = withOpen(path, O_RDONLY, (handle) => {
    const { size: end } = fstatSync(handle);
    for (const line of readLines(handle, 0, end)) {
      const row = parsedJson(line.bytes.toString("utf8"));
      // Whoever appends next would append to the same line.
      if (!line.isEnded) replies = [];
      if (!isTreeRow(row)) continue;
      if (last !== undefined && isUnlinkedReply(row) && line.isEnded) replies.push({ row, line });
      else {
        replies = [];
        last = row.id;
      }
    }
    return end;
  });
  if (replies.length > 0) linkReplies(file, replies, last, size);
}

function withOpen<Value>(path: string, flags: number, work: (handle: number) => Value): Value {
  const handle = openSync(path, flags | O_NOFOLLOW);
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

function assertSize(handle: number, size: number): void {
  const found = fstatSync(handle).size;
  if (found !== size) throw busyError(`a transcript of ${size} bytes`, found);
}

function busyError(expected: string, found: unknown): Error {
  return new Error(`expected ${expected}, found ${String(found)}: somebody writes to the transcript.`);
}

/** Writes to a file of this size, at its end where `position` is null. */
function writeAll(handle: number, bytes: Buffer, position: number | null, size: number): void {
  assertSize(handle, size);
  for (let written = 0; written < bytes.length;)
    written += writeSync(handle, bytes, written, bytes.length - written, position === null ? null : position + written);
}

/** A line of spaces of this many bytes. */
function blank(length: number): Buffer {
  return Buffer.from(length === 0 ? "" : `${" ".repeat(length - 1)}\n`);
}
