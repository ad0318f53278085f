import type { Core } from "./core.ts";

/** In the place of a session: no crash has cut the call off, and the session does not wait for it either. */
const NOBODY_WAITS = "\0";

/** Nobody waits any longer for the tool of this call, which runs on. */
export function letRun({ live }: Core, cycleId: number): void {
  live.set(cycleId, NOBODY_WAITS);
}

/** True while a tool runs that nobody waits for. */
export function isLate({ live }: Core, cycleId: number): boolean {
  return live.get(cycleId) === NOBODY_WAITS;
}
