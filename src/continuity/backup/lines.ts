import type { FileHandle } from "node:fs/promises";
import { createHash } from "node:crypto";
import { continuityError } from "../base/errors.ts";
import { LONGEST_LINE } from "./format.ts";

/** A place in a file: the beginning of a line. */
export interface LinePlace {
  /** Bytes before it. */
  readonly offset: number;
  /** Lines before it. */
  readonly lines: number;
}

/** A line of a file, and the SHA-256 of all bytes that were read before it, until the next line is asked for. */
export interface FileLine {
  readonly place: LinePlace;
  readonly text: string;
  /** Whether the line ends with a line end; only the last one of a cut file does not. */
  readonly isWhole: boolean;
  sha256Before(): string;
}

const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

/** Yields the lines of an open file from a place on. Holds one line at a time. Throws `damaged` for an endless line. */
export async function* readBackupLines(
  handle: FileHandle,
  file: string,
  from: LinePlace = { offset: 0, lines: 0 },
): AsyncGenerator<FileLine> {
  const hash = createHash("sha256");
  let place = from;
  let pieces: Buffer[] = [];
  let length = 0;
  /** Hashed when the next line is asked for. */
  let said: Buffer | undefined;
  const line = (isWhole: boolean): FileLine => {
    if (said) hash.update(said).update("\n");
    said = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    [pieces, length] = [[], 0];
    const one = { place, text: said.toString("utf8"), isWhole, sha256Before: () => hash.copy().digest("hex") };
    place = { offset: place.offset + said.length + 1, lines: place.lines + 1 };
    return one;
  };
  for (let position = from.offset; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    for (let begin = 0; begin < bytesRead;) {
      const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE, begin);
      pieces.push(buffer.subarray(begin, end < 0 ? bytesRead : end));
      length += (end < 0 ? bytesRead : end) - begin;
      if (length > LONGEST_LINE)
        throw continuityError("damaged", {
          expected: `lines of at most ${LONGEST_LINE} bytes in ${file}`,
          found: `a longer line ${place.lines + 1}`,
          todo: "This is no backup, or it was damaged. Nothing was written.",
        });
      begin = end < 0 ? bytesRead : end + 1;
      if (end >= 0) yield line(true);
    }
  }
  if (length > 0) yield line(false);
}
