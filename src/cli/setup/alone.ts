/** One setup at a time: a second one that fails would take back what the first has just done. */
import { randomBytes } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createFile, makeFolder } from "../../base/files/index.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { identifyProcess } from "../../base/processes.ts";
import { claimFile, readClaimOwner, type ClaimOwner } from "../setup-claim.ts";
import { setupError } from "./errors.ts";
import { readSetup, type SetupRecord } from "./record.ts";

const MAX_TRIES = 5;

/**
 * Does the work while no other setup changes anything for these sessions. Throws `setup-running` where one does, and
 * `record-unwritable`; what a killed setup has left is removed.
 */
export async function alone<Value>(work: () => Promise<Value>): Promise<Value> {
  const file = claimFile();
  for (let tries = 1; !claim(file); tries++) {
    const owner = readClaimOwner(file);
    if (owner !== "none" || tries === MAX_TRIES) throw running(file, owner);
    removeStale(file);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Throws `setup-running` where the record is another one than a plan was made from. */
export function assertUnchanged(seen: SetupRecord | undefined): void {
  if (isDeepStrictEqual(readSetup(), seen)) return;
  throw setupError("setup-running", {
    expected: "what setup has recorded to be as it was when the plan was made",
    found: "that another setup has changed it since",
    todo: "Run this again. Nothing was changed.",
  });
}

function claim(file: string): boolean {
  try {
    makeFolder(dirname(file));
    createFile(file, JSON.stringify(identifyProcess(process.pid)), { mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw setupError(
      "record-unwritable",
      refusedByDisk(error, {
        expected: `to write ${file}, so that no other setup works beside this one`,
        asOwner: "Run it as the user that OpenClaw runs as.",
        ending: "Nothing was changed.",
      }),
    );
  }
}

/** Another process may have made a claim of its own between the look and the removal: that one is put back. */
function removeStale(file: string): void {
  const aside = `${file}.stale-${randomBytes(8).toString("hex")}`;
  try {
    renameSync(file, aside);
    if (readClaimOwner(aside) === "none") rmSync(aside, { force: true });
    else renameSync(aside, file);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function running(file: string, owner: ClaimOwner): Error {
  const who = typeof owner === "string" ? "another process" : `process ${owner.pid}`;
  return setupError("setup-running", {
    expected: "no other setup at work for these sessions",
    found: `that ${who} is setting up or undoing (${file})`,
    todo: "Wait until it has ended and run this again. Nothing was changed.",
  });
}
