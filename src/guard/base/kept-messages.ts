import { messageSize } from "../../recovery/size/measure.ts";

/**
 * A compaction keeps the last messages up to the one with which they have so many characters, whatever its own size.
 */
const KEPT = 80_000;

/** The last messages of a transcript, which a compaction keeps. */
export class KeptMessages {
  readonly #sizes: number[] = [];
  /** The size of the messages in characters. */
  size = 0;

  /** Takes one more message; its row's bytes stand for its characters where they are few. */
  add(message: unknown, bytes: number): void {
    const size = bytes < KEPT ? bytes : messageSize(message).characters;
    this.#sizes.push(size);
    this.size += size;
    while (this.size - this.#sizes[0]! >= KEPT) this.size -= this.#sizes.shift()!;
  }
}
