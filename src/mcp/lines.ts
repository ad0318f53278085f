import { Transform, type TransformCallback } from "node:stream";

const NEWLINE = 0x0a;
/**
 * How many bytes of the beginning and of the end of a line that is too long are kept: the request's id is in one of
 * them.
 */
const KEPT = 256;

/**
 * Splits a stream into whole lines. Of a line with too many bytes only the beginning and the end are passed to
 * `tooLong`, so that no client can fill the memory with one line.
 */
export class Lines extends Transform {
  readonly #longest: number;
  readonly #tooLong: (head: string, tail: string) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(longest: number, tooLong: (head: string, tail: string) => void) {
    super();
    this.#longest = longest;
    this.#tooLong = tooLong;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end + 1));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
    done();
  }

  #take(part: Buffer): void {
    const wasTooLong = this.#bytes > this.#longest;
    this.#bytes += part.length;
    if (this.#bytes <= this.#longest) return void this.#parts.push(part);
    const [head, tail] = wasTooLong
      ? (this.#parts as [Buffer, Buffer])
      : [Buffer.concat([...this.#parts, part]).subarray(0, KEPT), Buffer.alloc(0)];
    // Copies, so that the chunk can be freed.
    this.#parts = [Buffer.from(head), Buffer.from(Buffer.concat([tail, part.subarray(-KEPT)]).subarray(-KEPT))];
  }

  #endLine(): void {
    const parts = this.#parts;
    const isTooLong = this.#bytes > this.#longest;
    [this.#parts, this.#bytes] = [[], 0];
    if (isTooLong) this.#tooLong(parts[0]!.toString("utf8"), parts[1]!.toString("utf8"));
    else this.push(Buffer.concat(parts));
  }
}

const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")`;
const AT_HEAD = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`);
const AT_TAIL = new RegExp(String.raw`,\s*${ID}\s*\}\s*$`);

/** Returns the id of a request of which only the beginning and the end are left; undefined when neither contains it. */
export function idIn(head: string, tail: string): string | number | undefined {
  const found = AT_HEAD.exec(head)?.[1] ?? AT_TAIL.exec(tail)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as string | number);
}
