/** Map that makes missing values and keeps at most `most` keys: the least recently used one is removed. */
export class RecentMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #most: number;
  readonly #make: () => Value;

  constructor(most: number, make: () => Value) {
    this.#most = most;
    this.#make = make;
  }

  /** Returns the value of a key, made if it is missing, and marks the key as used. */
  getOrMake(key: Key): Value {
    const value = this.#values.has(key) ? this.#values.get(key)! : this.#make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!);
    return value;
  }
}
