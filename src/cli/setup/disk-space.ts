/** Whether there is room for what setup writes, found out before OpenClaw is patched and proved. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFile, makeFolder, UnsafePathError } from "../../base/files/index.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { configFile } from "../plugin/config-place.ts";
import { setupError } from "./errors.ts";

/** More than the records and the config take. */
const RECORDS = 64 * 1024;

/**
 * Writes as many bytes as the plugin's copy and the records take beside where they are going to be, and removes them.
 * Without the plugin (undefined) the config is left alone. Throws `not-writable`, or an UnsafePathError.
 */
export function checkRoom(bytesOfPlugin: number | undefined): void {
  tryToWrite(join(stateDirectory(), "integrity"), RECORDS + (bytesOfPlugin ?? 0));
  if (bytesOfPlugin !== undefined) tryToWrite(dirname(configFile()), RECORDS);
}

function tryToWrite(folder: string, bytes: number): void {
  const file = join(folder, `.openclaw-integrity-${randomBytes(8).toString("hex")}`);
  try {
    makeFolder(folder);
    createFile(file, Buffer.alloc(bytes, "x"));
    rmSync(file);
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    throw setupError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write ${Math.ceil(bytes / 1024)} kB in ${folder}`,
        asOwner: "Run it as the user that OpenClaw runs as.",
        ending: "Nothing was changed.",
      }),
    );
  }
}
