import { readSync } from "node:fs";

const CHUNK = 1 << 20;
const LINE_FEED = 10;

/** A line of a file without its line feed. */
export interface Line {
  readonly bytes: Buffer;
  /** Byte offset of the line in the file. */
  readonly at: number;
  /** False for a last line without a line feed. */
  readonly isEnded: boolean;
}

/**
 * Reads the lines of an open file, or of a part of it, in chunks: no more than one chunk and the current line is in
 * memory.
 */
export function* readLines(handle: number, from = 0, to = Number.POSITIVE_INFINITY): Generator<Line> {
  let parts: Buffer[] = [];
  let at = from;
  for (let position = from; ;) {
    const whole = Buffer.allocUnsafe(Math.min(CHUNK, to - position));
    const read = readSync(handle, whole, 0, whole.length, position);
    if (read === 0) break;
    position += read;
    const chunk = whole.subarray(0, read);
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const bytes = Buffer.concat([...parts, chunk.subarray(start, end)]);
      yield { bytes, at, isEnded: true };
      at += bytes.length + 1;
      parts = [];
      start = end + 1;
    }
    if (start < read) parts.push(chunk.subarray(start, read));
  }
  const lastBytes = Buffer.concat(parts);
  if (lastBytes.length > 0) yield { bytes: lastBytes, at, isEnded: false };
}
