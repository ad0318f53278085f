/**
 * Values by key, made when they are first asked for. Of more than `most` keys the one that was not asked for the longest
 * time is forgotten.
 */
export class RecentMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #most: number;
  readonly #make: () => Value;

  constructor(most: number, make: () => Value) {
    this.#most = most;
    this.#make = make;
  }

  /** The value of a key, which becomes the one that was asked for last. */
  of(key: Key): Value {
    const value = this.#values.has(key) ? this.#values.get(key)! : this.#make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!);
    return value;
  }
}
