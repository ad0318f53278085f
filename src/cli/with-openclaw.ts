/** For commands that load OpenClaw's own code into this process. */
import { foreignToStandardError, whenSaid } from "../base/terminal.ts";

/** OpenClaw logs to the console, what sessions are called among it; standard output is for the outcome. */
export async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  foreignToStandardError();
  return work();
}

/**
 * Ends the process when what it has written is out: OpenClaw leaves workers and timers behind that would keep it alive.
 */
export function endProcess(): void {
  whenSaid(() => process.exit());
}
