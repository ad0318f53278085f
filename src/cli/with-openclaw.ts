/** Helpers for commands that load OpenClaw's own code into this process. */
import { foreignToStandardError, whenSaid } from "../base/terminal.ts";

/**
 * Runs `work` with OpenClaw's console output redirected to standard error: the output contains names of sessions, and
 * standard output is for the outcome.
 */
export async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  foreignToStandardError();
  return work();
}

/** Ends the process when its output is written: OpenClaw leaves workers and timers behind that would keep it alive. */
export function endProcess(): void {
  whenSaid(() => process.exit());
}
