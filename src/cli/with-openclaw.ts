/** Helpers for commands that load OpenClaw's own code into this process. */
import { setOtherOutputAside, whenSaid } from "../base/terminal.ts";

/** Runs `work` with OpenClaw's console output set aside: a refusal shows the end of it, and nothing else does. */
export async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  setOtherOutputAside();
  return work();
}

/** Ends the process when its output is written: OpenClaw leaves workers and timers behind that would keep it alive. */
export function endProcess(): void {
  whenSaid(() => process.exit());
}
