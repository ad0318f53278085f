import { contentHash, EMPTY_HASH } from "../../journal/content-hash.ts";

/**
 * The hashes of a growing history, one for each of its beginnings. What was hashed before is not read again: a message
 * that is the same object as last time has the same hash. That holds because stored messages are never changed in
 * place; a rollback does not rely on it and hashes anew. A message that cannot be hashed throws, and is asked for again
 * the next time.
 */
export class HashChain {
  readonly #messages: unknown[] = [];
  readonly #hashes: string[] = [EMPTY_HASH];

  /** The hash of the first `end` messages. */
  at(messages: readonly unknown[], end: number = messages.length): string {
    let same = 0;
    const known = Math.min(end, this.#messages.length);
    while (same < known && this.#messages[same] === messages[same]) same++;
    if (same < end) {
      this.#messages.length = same;
      this.#hashes.length = same + 1;
      for (let at = same; at < end; at++) {
        const hash = contentHash([messages[at]], this.#hashes[at]);
        // Both or none: a hash that failed must not leave a message without one.
        this.#messages.push(messages[at]);
        this.#hashes.push(hash);
      }
    }
    return this.#hashes[end]!;
  }
}
