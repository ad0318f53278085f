import { contentHash, EMPTY_HASH } from "../../journal/content-hash.ts";

/**
 * The hashes of a growing history, one for each prefix. A message that is the same object as at the last call is not
 * read again. That is correct because stored messages are never changed in place; a rollback does not rely on that and
 * hashes anew. A message that cannot be hashed throws, and is hashed again at the next call.
 */
export class HashChain {
  readonly #messages: unknown[] = [];
  readonly #hashes: string[] = [EMPTY_HASH];

  /** Returns the hash of the first `end` messages. */
  at(messages: readonly unknown[], end: number = messages.length): string {
    let same = 0;
    const known = Math.min(end, this.#messages.length);
    while (same < known && this.#messages[same] === messages[same]) same++;
    if (same < end) {
      this.#messages.length = same;
      this.#hashes.length = same + 1;
      for (let at = same; at < end; at++) {
        const hash = contentHash([messages[at]], this.#hashes[at]);
        // Both or none: a hash that throws must not leave a message without its hash.
        this.#messages.push(messages[at]);
        this.#hashes.push(hash);
      }
    }
    return this.#hashes[end]!;
  }
}
