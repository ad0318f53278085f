import type { Violation } from "../types.ts";

/** More than this is never read: the first one is the answer, the rest is for the test's reader. */
const MOST = 200;

/** Collects broken rules in the order in which they are found. */
export class Findings {
  readonly list: Violation[] = [];

  add(path: string, message: string, code?: string): void {
    if (this.list.length >= MOST) return;
    this.list.push(code === undefined ? { status: 400, message, path } : { status: 400, message, path, code });
  }

  get clean(): boolean {
    return this.list.length === 0;
  }
}
