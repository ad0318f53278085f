import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that everything temporary of this process and its children is in. */
export interface Scratch {
  folder: string;
  /** Environment for OpenClaw's processes. */
  env: Record<string, string>;
  /** Removes the folder; also done when the process ends in any way that it notices. */
  remove(): void;
}

// What os.tmpdir() reads, on every platform.
const VARIABLES = ["TMPDIR", "TEMP", "TMP"] as const;

/**
 * Makes the folder and lets os.tmpdir() name it, so that even what is only half started on Ctrl-C leaves nothing
 * behind.
 */
export function openScratch(): Scratch {
  const outer = tmpdir();
  const folder = mkdtempSync(join(outer, "openclaw-start-"));
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) process.env[name] = folder;
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", removeFolder);
  return {
    folder,
    // Compiled code is worth keeping from one start to the next.
    env: { NODE_COMPILE_CACHE: join(outer, "node-compile-cache") },
    remove() {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      removeFolder();
      process.off("exit", removeFolder);
    },
  };
}
