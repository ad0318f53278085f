import { Transform, type TransformCallback } from "node:stream";

const NEWLINE = 0x0a;
/**
 * Of a line that is too long so much is kept of its beginning and of its end: the request's id stands in one of them.
 */
const KEPT = 256;

/**
 * Gives on whole lines, one at a time, and of a line of too many bytes nothing but its beginning and end to `tooLong`:
 * no client can fill the memory with one.
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
    // Copies, so that they hold no chunk.
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

/** The id of a request of which only the beginning and the end are left; undefined where it stands in neither. */
export function idIn(head: string, tail: string): string | number | undefined {
  const found = AT_HEAD.exec(head)?.[1] ?? AT_TAIL.exec(tail)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as string | number);
}
