/** For commands that load OpenClaw's own code into this process. */

/** OpenClaw logs to the console; standard output is for the outcome. */
export async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  const { log, info, debug } = console;
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  return work().finally(() => Object.assign(console, { log, info, debug }));
}

/** Ends the process when what it has written is out: OpenClaw leaves workers and timers behind that would keep it alive. */
export function endProcess(): void {
  process.stdout.write("", () => process.exit());
}
