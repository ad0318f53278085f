import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GitPlace } from "../git/git.ts";
import { ensureRepository, placeIn } from "./repository.ts";
import { FORGETTING } from "../records/facts.ts";
import { closeRecords, keptRecords, release } from "../records/kept-open.ts";
import { openRecords, recordsFile, type Records } from "../records/records.ts";
import { capture, type Captured } from "./capture.ts";
import { fitWorkspace } from "./fitness.ts";
import { alone } from "./lock.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** Name of the folder with all snapshots in OpenClaw's state directory. */
const FOLDER = "openclaw-integrity-files";

/** What is open while the workspace's lock is held. */
export interface OpenStore {
  readonly place: GitPlace;
  readonly records: Records;
  readonly workspace: string;
  /** The folder of the snapshots. */
  readonly folder: string;
  /** Captures the present files. */
  capture(): Promise<Captured>;
  /** Sets the mark by which a load finds out that a move may have been cut off. */
  markPending(isPending: boolean): void;
}

/** Returns the folder with the snapshots of all workspaces. */
export function snapshotsFolder(stateDirectory: string): string {
  return join(stateDirectory, FOLDER);
}

/** The snapshots of one workspace: a content-addressed store with its records, in a folder of the state directory. */
export class WorkspaceStore {
  readonly workspace: string;
  readonly folder: string;

  private constructor(workspace: string, folder: string) {
    this.workspace = workspace;
    this.folder = folder;
  }

  /** The store of a workspace, which need not exist yet. Throws `unfit` as {@link fitWorkspace} does. */
  static at(stateDirectory: string, workspace: string): WorkspaceStore {
    const path = fitWorkspace(workspace, stateDirectory);
    const key = createHash("sha256").update(path).digest("hex").slice(0, 32);
    return new WorkspaceStore(path, join(snapshotsFolder(stateDirectory), key));
  }

  /** All stores of a state directory. */
  static all(stateDirectory: string): WorkspaceStore[] {
    const root = snapshotsFolder(stateDirectory);
    if (!existsSync(root)) return [];
    return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
      const folder = join(root, entry.name);
      const workspace = entry.isDirectory() ? workspaceIn(folder) : undefined;
      return workspace === undefined ? [] : [new WorkspaceStore(workspace, folder)];
    });
  }

  /** Whether anything was ever captured. */
  get exists(): boolean {
    return existsSync(this.recordsFile);
  }

  get recordsFile(): string {
    return recordsFile(this.folder);
  }

  /** False when no move of files was cut off; true when one may have been. */
  get mayHavePending(): boolean {
    return existsSync(join(this.folder, PENDING_FILE));
  }

  /** Whether a run that forgot sessions was killed before its end. */
  get isForgetting(): boolean {
    return this.read((records) => records.fact(FORGETTING) !== undefined);
  }

  /** Reads the records without the workspace's lock. */
  read<Value>(use: (records: Records) => Value): Value {
    const records = openRecords(this.folder, { readOnly: true });
    try {
      return use(records);
    } finally {
      records.close();
    }
  }

  /** Runs `work` alone on this workspace's snapshots. Rejects as {@link alone}, and with what the records throw. */
  async use<Value>(work: (open: OpenStore) => Promise<Value>): Promise<Value> {
    const { folder, workspace } = this;
    return alone(folder, async () => {
      const place = placeIn(folder);
      ensureRepository(place);
      if (workspaceIn(folder) === undefined)
        writeFileSync(join(folder, NAME_FILE), JSON.stringify({ workspace }), { mode: 0o600 });
      const records = keptRecords(folder);
      try {
        return await work({
          place,
          records,
          workspace,
          folder,
          capture: () => capture(place, workspace, records),
          markPending: (isPending) => {
            const file = join(folder, PENDING_FILE);
            if (isPending) writeFileSync(file, "", { mode: 0o600 });
            else rmSync(file, { force: true });
          },
        });
      } finally {
        release(folder);
      }
    });
  }

  /** Writes to the records alone, without a repository. */
  async withRecords<Value>(work: (records: Records) => Value): Promise<Value> {
    return alone(this.folder, async () => {
      try {
        return work(keptRecords(this.folder));
      } finally {
        release(this.folder);
      }
    });
  }

  /** Deletes all snapshots of this workspace. */
  async remove(): Promise<void> {
    await alone(this.folder, async () => {
      closeRecords(this.folder);
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
    });
  }
}

/** Beside the records while a move is under way, so that each load of a session only looks for a file. */
const PENDING_FILE = "move-under-way";
const NAME_FILE = "workspace.json";

function workspaceIn(folder: string): string | undefined {
  const workspace = readJsonObject(join(folder, NAME_FILE))?.["workspace"];
  return typeof workspace === "string" && workspace !== "" ? workspace : undefined;
}
