/**
 * Where a process may die: every name that the kernel calls `crashPoint` with. `written` is whether the command is in
 * the ledger then.
 */
export const CRASHES: Readonly<Record<string, { readonly written: boolean }>> = {
  "commit:before": { written: false },
  "commit:event-written": { written: false },
  "commit:all-written": { written: false },
  "commit:after": { written: true },
  "snapshot:before": { written: true },
  "snapshot:object-stored": { written: true },
  "snapshot:row-written": { written: true },
  "snapshot:row-stored": { written: true },
};

export const CRASH_POINTS: readonly string[] = Object.keys(CRASHES);

/** What a process that dies says. */
export class Crash extends Error {
  readonly point: string;

  constructor(point: string) {
    super(`the process died at ${point}`);
    this.point = point;
  }
}
