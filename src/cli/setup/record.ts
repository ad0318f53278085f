/**
 * What `setup` did, so that `setup --undo` undoes exactly that: `integrity/setup.json` in OpenClaw's state directory.
 * Each part is recorded before it is done: after a kill, undo looks at what is there.
 */
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, replaceFile } from "../../base/files/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { reasonOf } from "../../base/coded-error.ts";
import { setupError } from "./errors.ts";

/** One part of the setup. */
export type Part = "patch" | "service" | "plugin";

/** The parts that setup has done or begun, in their order. */
export interface SetupRecord {
  /** The real path of OpenClaw's folder. */
  readonly root: string;
  readonly parts: readonly Part[];
}

const VERSION = 1;
const PARTS: readonly string[] = ["patch", "service", "plugin"];

function setupFile(): string {
  return join(stateDirectory(), "integrity", "setup.json");
}

/** Reads the record; undefined when setup has done nothing here, or when the record is damaged. */
export function readSetup(): SetupRecord | undefined {
  try {
    const value = JSON.parse(readFileSync(setupFile(), "utf8")) as Readonly<Record<string, unknown>>;
    const { version, root, parts } = value;
    if (version !== VERSION || typeof root !== "string" || !Array.isArray(parts)) return undefined;
    return { root, parts: parts.filter((part): part is Part => PARTS.includes(part as string)) };
  } catch {
    return undefined;
  }
}

/** Writes the record; removes it when no part is left. Throws `record-unwritable`. */
export function writeSetup({ root, parts }: SetupRecord): void {
  const file = setupFile();
  try {
    if (parts.length === 0) return rmSync(file, { force: true });
    makeFolder(dirname(file));
    replaceFile(file, `${JSON.stringify({ version: VERSION, root, parts }, null, 2)}\n`, {
      mode: 0o600,
      below: stateDirectory(),
    });
  } catch (error) {
    throw setupError("record-unwritable", {
      expected: `to write ${file}, without which setup --undo could not know what to undo`,
      found: reasonOf(error),
      todo: "Run it as the user that OpenClaw runs as. What was not recorded was not done.",
      cause: error,
    });
  }
}
