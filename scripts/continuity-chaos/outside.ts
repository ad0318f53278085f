import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * An outside system that carries out each idempotency key once, and answers a repetition with the first answer. One
 * file per key.
 */
export class OutsideSystem {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, "outside");
    mkdirSync(this.#folder, { recursive: true });
  }

  /** The answer to that key: the one given if it is the first. */
  carryOut(key: string, answer: string): string {
    const file = join(this.#folder, encodeURIComponent(key));
    if (existsSync(file)) return readFileSync(file, "utf8");
    const draft = `${file}.${process.pid}.draft`;
    writeFileSync(draft, answer);
    try {
      // The one step that cannot happen twice: it is there as a whole, or not.
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      unlinkSync(draft);
    }
    return readFileSync(file, "utf8");
  }
}
