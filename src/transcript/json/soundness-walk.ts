import { isBytes, isDeeperThan, MAX_DEPTH, MAX_ITEMS } from "./depth.ts";

/**
 * Containers that one judgement visits. A value parsed from JSON contains each of them once; with shared ones a walk
 * could take forever.
 */
const MAX_VISITS = 1_000_000;

/**
 * Judges the parts of a history in one walk instead of one for the depth, one for bigints and one for the texts: as
 * long as {@link isSound} is true, JSON.stringify can write everything that was shown (but for a `toJSON` that throws),
 * nothing of it nests too deeply, and no text of it has a lone surrogate. False proves nothing: `whyNoJson` and
 * `isWellFormed` tell whether, and what, is wrong. Whoever shows all parts of a history need not ask these two.
 */
export class SoundnessWalk {
  isSound = true;
  #left = MAX_VISITS;

  /** Shows a text. */
  text(text: string): void {
    if (!text.isWellFormed()) this.isSound = false;
  }

  /** Shows a value of any kind. */
  value(value: unknown): void {
    if (this.isSound && !this.#isSound(value, MAX_DEPTH)) this.isSound = false;
  }

  /** Shows all fields of an object but those that are shown otherwise. */
  fields(object: Readonly<Record<string, unknown>>, isShown: (field: string) => boolean): void {
    for (const key in object) {
      if (isShown(key)) continue;
      this.text(key);
      this.value(object[key]);
    }
  }

  /** Shows a value, and returns whether it is shallow enough for a call's arguments. */
  isShallow(value: unknown): boolean {
    this.value(value);
    return this.isSound || !isDeeperThan(value, MAX_DEPTH);
  }

  #isSound(value: unknown, limit: number): boolean {
    if (typeof value === "string") return value.isWellFormed();
    if (typeof value !== "object") return typeof value !== "bigint";
    if (value === null) return true;
    if (limit === 0 || --this.#left < 0) return false;
    if (Array.isArray(value)) {
      const { length } = value;
      if (length > MAX_ITEMS) return false;
      for (let at = 0; at < length; at++) if (!this.#isSound(value[at], limit - 1)) return false;
      return true;
    }
    if (isBytes(value)) return true;
    for (const key in value) {
      if (!key.isWellFormed() || !this.#isSound((value as Record<string, unknown>)[key], limit - 1)) return false;
    }
    return true;
  }
}
