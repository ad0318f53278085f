/**
 * What `setup` did, so that `setup --undo` undoes exactly that: `integrity/setup.json` in OpenClaw's state directory.
 * Each part is recorded before it is done: after a kill, undo looks at what is there.
 */
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, replaceFile } from "../../base/files/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
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

/**
 * Reads the record; undefined when setup has done nothing here. Throws `record-unreadable` for one that cannot be read
 * or is damaged: nobody knows then what setup has done.
 */
export function readSetup(): SetupRecord | undefined {
  const text = readIfThere(setupFile());
  if (text === undefined) return undefined;
  try {
    const { version, root, parts } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (version === VERSION && typeof root === "string" && Array.isArray(parts))
      return { root, parts: parts.filter((part): part is Part => PARTS.includes(part as string)) };
  } catch {
    // The error is thrown below.
  }
  const commands = (["revert", "plugin uninstall", "service remove"] as const).map((command) => ownCommand(command));
  throw setupError("record-unreadable", {
    expected: `the record of setup in ${setupFile()}`,
    found: "another content",
    todo: `Undo it by hand (${commands.join("; ")}) and delete this file. Nothing was changed.`,
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw setupError(
      "record-unreadable",
      refusedByDisk(error, {
        expected: `to read ${file}, by which setup --undo knows what to undo`,
        asOwner: "Run it as the user that OpenClaw runs as.",
        ending: "Nothing was changed.",
      }),
    );
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
    throw setupError(
      "record-unwritable",
      refusedByDisk(error, {
        expected: `to write ${file}, by which setup --undo knows what to undo`,
        asOwner: "Run it as the user that OpenClaw runs as.",
        ending: "What was not recorded was not done.",
      }),
    );
  }
}
