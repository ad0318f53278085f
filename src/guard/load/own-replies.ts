import { constants, fstatSync, openSync, closeSync, writeSync } from "node:fs";
import { placeOf } from "../../base/files/index.ts";
import type { Line } from "../../store/read-lines.ts";
import { type JsonObject, toJson } from "../../transcript/json/json.ts";

const { O_WRONLY, O_RDWR, O_APPEND, O_NOFOLLOW = 0 } = constants;

/** A row with the line that it stands in. */
export interface RowLine {
  readonly row: JsonObject;
  readonly line: Line;
}

/**
 * Gives the replies of OpenClaw's own that end a transcript the row before them as parent. OpenClaw 2026.2 appends them
 * without one, and the next message behind them: all messages before the reply would no longer be on its path.
 * Only the end of the file is written, in its place: first the room is appended as a blank line, so that a full
 * disk leaves all as it is. Returns the file's new size. Throws when the file has changed since it was read.
 */
export function linkReplies(file: string, replies: readonly RowLine[], parentId: unknown, size: number): number {
  const start = replies[0]!.line.at;
  let parent = parentId;
  const lines = replies.map(({ row }) => {
    const linked = toJson({ ...row, parentId: parent });
    parent = row.id;
    return `${linked}\n`;
  });
  const bytes = Buffer.from(lines.join(""));
  const { path } = placeOf(file, { shared: "allow" });
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

function withOpen(path: string, flags: number, work: (handle: number) => void): void {
  const handle = openSync(path, flags | O_NOFOLLOW);
  try {
    work(handle);
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
