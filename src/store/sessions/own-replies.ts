/** Links replies of OpenClaw's own, which it appends without a parent, to the rows before them. */
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { resolvePlace } from "../../base/files/index.ts";
import { isTreeRow, isUnlinkedReply } from "../../transcript/entries.ts";
import { isObject, type JsonObject, toJson } from "../../transcript/json/json.ts";
import { type Line, readLines } from "../read-lines.ts";

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_NOFOLLOW = 0 } = constants;

/** A row with the line that it stands in. */
export interface RowLine {
  readonly row: JsonObject;
  readonly line: Line;
}

/**
 * Gives the replies of OpenClaw's own that end a transcript the row before them as parent. OpenClaw 2026.2 appends them
 * without one, and the next message behind them: all messages before the reply would no longer be on its path.
 * Only the end of the file is written, in its place: first the room is appended as a blank line, so that a full
 * disk leaves all as it is. Returns the file's new size; undefined, with nothing written, where the file has another
 * name, of a backup for example. Throws when the file has changed since it was read.
 */
export function linkReplies(
  file: string,
  replies: readonly RowLine[],
  parentId: unknown,
  size: number,
): number | undefined {
  const start = replies[0]!.line.at;
  let parent = parentId;
  const lines = replies.map(({ row }) => {
    const linked = toJson({ ...row, parentId: parent });
    parent = row.id;
    return `${linked}\n`;
  });
  const bytes = Buffer.from(lines.join(""));
  const { path } = resolvePlace(file, { shared: "allow" });
  if (statSync(path).nlink > 1) return undefined;
  const end = Math.max(size, start + bytes.length);
  const room = end - size;
  if (room > 0) withOpen(path, O_WRONLY | O_APPEND, (handle) => append(handle, blank(room), size));
  withOpen(path, O_RDWR, (handle) => {
    assertSize(handle, end);
    // What is shorter than before leaves a blank rest.
    writeAll(handle, Buffer.concat([bytes, blank(end - start - bytes.length)]), start);
  });
  return end;
}

/** Does {@link linkReplies} for a file that nobody has read yet. */
export function linkLastReplies(file: string): void {
  let last: unknown;
  let replies: RowLine[] = [];
  const { path } = resolvePlace(file, { shared: "allow" });
  const size = withOpen(path, O_RDONLY, (handle) => {
    const { size: end } = fstatSync(handle);
    for (const line of readLines(handle, 0, end)) {
      const row = rowIn(line);
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

function rowIn({ bytes }: Line): JsonObject | undefined {
  try {
    const row: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(row) ? row : undefined;
  } catch {
    return undefined;
  }
}

function withOpen<Value>(path: string, flags: number, work: (handle: number) => Value): Value {
  const handle = openSync(path, flags | O_NOFOLLOW);
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

function append(handle: number, bytes: Buffer, size: number): void {
  assertSize(handle, size);
  writeAll(handle, bytes, null);
}

function assertSize(handle: number, size: number): void {
  const found = fstatSync(handle).size;
  if (found !== size) throw new Error(`expected a transcript of ${size} bytes, found ${found}: somebody writes to it.`);
}

function writeAll(handle: number, bytes: Buffer, position: number | null): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(handle, bytes, written, bytes.length - written, position === null ? null : position + written);
}

/** A line of spaces of this many bytes. */
function blank(length: number): Buffer {
  return Buffer.from(length === 0 ? "" : `${" ".repeat(length - 1)}\n`);
}
