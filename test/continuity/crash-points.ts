/**
 * Where a process may die: every name that the kernel calls `crashPoint` with. `written` is whether the command is in
 * the ledger then.
 */
export const CRASHES: Readonly<Record<string, { readonly written: boolean }>> = {
  "commit:before": { written: false },
  "commit:event-written": { written: false },
  "commit:all-written": { written: false },
  "commit:committed": { written: true },
  "commit:after": { written: true },
  "snapshot:before": { written: true },
  "snapshot:object-stored": { written: true },
  "snapshot:row-written": { written: true },
  "snapshot:row-stored": { written: true },
};

export const CRASH_POINTS: readonly string[] = Object.keys(CRASHES);

/** Where a process may die that restores a project. `written` is whether the project is there then, as a whole. */
export const COPY_CRASHES: Readonly<Record<string, { readonly written: boolean }>> = {
  "project:page-written": { written: false },
  "project:all-written": { written: false },
  "project:committed": { written: true },
};

/** What a process that dies says. */
export class Crash extends Error {
  readonly point: string;

  constructor(point: string) {
    super(`the process died at ${point}`);
    this.point = point;
  }
}
