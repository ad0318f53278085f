/** The folder of a rehearsed update, of which there is one at a time; what a kill leaves of it is found and removed. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";
import { makeFolder } from "../base/files/index.ts";
import { readJsonObject } from "../base/read-json-object.ts";
import { stateDirectory } from "../store/index.ts";
import { isStillRunning, parseProcess, identifyProcess, type ProcessIdentity } from "../base/processes.ts";

/** Why an update was not rehearsed, or not switched to. */
type RehearsalErrorCode =
  | "rehearsal-running"
  | "no-room"
  | "install-failed"
  | "no-sessions"
  | "could-not-run"
  | "not-switched";

export class RehearsalError extends CodedError<RehearsalErrorCode> {
  override readonly name = "RehearsalError";
}

/** Builds the three-part message all refusals share. */
export const rehearsalError = makeErrorBuilder(RehearsalError);

const NAME = "rehearsal";
const OWNER = "owner.json";
/** An owner that has not written its id by then was killed before it could. */
const NAMELESS_MS = 10_000;
/** A rehearsal that is under way or was killed. */
export interface FoundRehearsal {
  readonly folder: string;
  /** The process that runs it; undefined where it was killed. */
  readonly pid?: number;
}

function parent(): string {
  return join(stateDirectory(), "integrity");
}

/** The folders of rehearsals: at most one, but for those that a kill left while they were removed. */
export function findRehearsals(): readonly FoundRehearsal[] {
  return namesIn(parent())
    .filter((name) => name === NAME || name.startsWith(`${NAME}.stale-`))
    .map((name) => {
      const folder = join(parent(), name);
      const { owner } = processesIn(folder);
      const pid = owner !== undefined && isStillRunning(owner) ? owner.pid : undefined;
      return { folder, ...(pid !== undefined && { pid }) };
    });
}

/** The line for what a killed rehearsal has left; none where nothing is left. */
export function leftLines(): readonly string[] {
  return findRehearsals()
    .filter(({ pid }) => pid === undefined)
    .map(({ folder }) => `a rehearsed update was killed and has left ${folder}; setup --rehearse and --undo remove it`);
}

/** Removes what killed rehearsals have left, with the npm that still writes there. Returns a line for each folder. */
export function removeLeft(): readonly string[] {
  const left = findRehearsals().filter(({ folder, pid }) => pid === undefined && !isBeginning(folder));
  for (const { folder } of left) {
    const { npm } = processesIn(folder);
    if (npm?.birth !== undefined && isStillRunning(npm)) endGroup(npm.pid);
    // Another process may begin there between the look and the removal.
    const aside = folder.endsWith(NAME) ? `${folder}.stale-${randomBytes(8).toString("hex")}` : folder;
    if (aside !== folder) renameSync(folder, aside);
    rmSync(aside, { recursive: true, force: true, maxRetries: 5 });
  }
  return left.map(({ folder }) => `removed ${folder}, which a rehearsed update that was killed had left`);
}

/** The folder of the rehearsal that this process runs. */
export class RehearsalPlace {
  readonly folder = join(parent(), NAME);
  readonly #madeParent = !existsSync(parent());
  #npm: number | undefined;

  /** Throws `rehearsal-running` where another process rehearses. */
  constructor() {
    makeFolder(parent());
    try {
      mkdirSync(this.folder, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const pid = findRehearsals().find(({ folder }) => folder === this.folder)?.pid;
      throw rehearsalError("rehearsal-running", {
        expected: "no other rehearsed update on this machine",
        found: `that ${pid === undefined ? "another process" : `process ${pid}`} rehearses one in ${this.folder}`,
        todo: "Wait until it has ended. Nothing was changed.",
      });
    }
    this.#write();
  }

  /** Notes the process group of npm, which outlives a kill of this process. */
  set npm(pid: number | undefined) {
    this.#npm = pid;
    this.#write();
  }

  /** Makes a folder in it. */
  make(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  remove(): void {
    if (this.#npm !== undefined) endGroup(this.#npm);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    try {
      // Where setup has done nothing, its folder is not left behind.
      if (this.#madeParent) rmdirSync(parent());
    } catch {
      // There is something in it by now.
    }
  }

  #write(): void {
    const npm = this.#npm === undefined ? {} : { npm: identifyProcess(this.#npm) };
    writeFileSync(join(this.folder, OWNER), JSON.stringify({ owner: identifyProcess(process.pid), ...npm }));
  }
}

function processesIn(folder: string): {
  readonly owner?: ProcessIdentity | undefined;
  readonly npm?: ProcessIdentity | undefined;
} {
  const { owner, npm } = readJsonObject(join(folder, OWNER)) ?? {};
  return { owner: parseProcess(owner), npm: parseProcess(npm) };
}

/** Whether its process may not have written its id yet. */
function isBeginning(folder: string): boolean {
  if (processesIn(folder).owner !== undefined) return false;
  const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs < NAMELESS_MS && readdirSync(folder).length === 0;
}

/** Ends npm with all that it has started. */
export function endGroup(pid: number): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
