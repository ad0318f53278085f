/**
 * `npm start`: corrupt transcripts through the real OpenClaw, unpatched and patched, side by side. See `npm start --
 * --help`.
 */
import { calibrate } from "../../harness/patience.ts";
import { main } from "./compare.ts";

// What 128 + SIGINT is to a shell.
const INTERRUPTED = 130;
const PATIENCE_MS = 5_000;

// A machine with other work starts OpenClaw more slowly, which is no fault.
calibrate();

const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // The second time, or when something does not come to an end: leave at once. Folders are removed on exit as well.
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
    setTimeout(() => process.exit(INTERRUPTED), PATIENCE_MS).unref();
  });
}

// A pager that was left, or `| head`: nobody reads on.
process.stdout.on("error", () => controller.abort());

try {
  process.exitCode = await main(process.argv.slice(2), controller.signal, process);
} catch (error) {
  if (!controller.signal.aborted) throw error;
  process.stderr.write("stopped; nothing is left running\n");
  process.exitCode = INTERRUPTED;
}
