import { open, type FileHandle } from "node:fs/promises";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { nameInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import { restoreProject } from "../decide/copies.ts";
import { listStepIds } from "../decide/open-attempts.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { nextEvent } from "../ledger/next-event.ts";
import { beginning, type Position } from "../ledger/position.ts";
import type { ObjectStorage } from "../ledger/store.ts";
import { resultObject } from "../steps/results.ts";
import { readCompletion } from "../steps/step-record.ts";
import { type Damage, verifyWorkflow } from "../verify.ts";
import { lossText, type Plan, type PlannedProject, planRestore } from "./plan.ts";
import { endedLease, projectRows, type WrittenEvent } from "./project-rows.ts";
import { readBackup, readProject } from "./read.ts";

/** Options of a restoration. */
export interface RestoreOptions {
  /** The file that a backup wrote. */
  readonly file: string;
  /** Only these projects; all of the backup by default. */
  readonly projects?: readonly string[] | undefined;
  /**
   * Restores the very ledger, without the event that ends all leases and raises the fencing token: to move a store to
   * another database, when nothing was written to the old one since the backup.
   */
  readonly exact?: boolean | undefined;
  /** Restores also a project of which the store's anchor knows later events, which are lost. */
  readonly acceptLoss?: boolean | undefined;
}

/** A project that was restored, or was there already. */
export interface RestoredProject {
  readonly project_id: string;
  readonly outcome: "restored" | "present";
  /** The last event of the ledger now. */
  readonly event_seq: number;
  readonly checksum: string | null;
  /** Steps that were open when the backup was made: each may have been done since. */
  readonly open_steps: readonly string[];
  /** The event that the lost ledger is known to have reached; null when nothing is known of a loss. */
  readonly lost: { readonly event_seq: number; readonly checksum: string } | null;
  /** What verification found afterwards; empty for an intact project. */
  readonly damages: readonly Damage[];
}

/** The outcome of a restoration. */
export interface Restoration {
  /** When the backup was made. */
  readonly created_at: string;
  readonly sha256: string;
  readonly projects: readonly RestoredProject[];
}

type Context = Pick<Environment, "store" | "objects" | "now" | "newId" | "producer_version" | "crashPoint">;

/**
 * Restores the projects of a backup: the whole file is checked first, then each project is written in one transaction,
 * then verified. A project that is there with every event of the backup is left as it is, so that a repetition
 * completes what a kill interrupted.
 */
export async function restoreBackup(context: Context, author: Author, options: RestoreOptions): Promise<Restoration> {
  const { file, projects: names, exact = false, acceptLoss = false } = options;
  if (exact && acceptLoss)
    throw continuityError("bad-input", {
      expected: "an exact restoration, or one that accepts a loss",
      found: "both",
      todo: "After a loss, the fencing token has to be raised: leave `exact` out. Nothing was written.",
    });
  const handle = await openBackup(file);
  try {
    const plan = await planRestore(readBackup(handle, file), context, names);
    assertNoLoss(plan, file, acceptLoss);
    for (const planned of plan.projects)
      if (planned.todo === "restore") await restoreOne(context, author, { handle, file, plan, planned, exact });
    const projects: RestoredProject[] = [];
    for (const planned of plan.projects) projects.push(await verified(context, planned));
    return { created_at: plan.heading.created_at, sha256: plan.end.sha256, projects };
  } finally {
    await handle.close();
  }
}

async function openBackup(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file, "r");
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw continuityError(
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "not-found" : "bad-input",
      refusedByDisk(error, {
        expected: `to read the backup ${file}`,
        asOwner: "Give the user of this process the right to read it.",
        ending: "Nothing was written.",
      }),
    );
  }
  throw continuityError("bad-input", {
    expected: `the file of a backup at ${file}`,
    found: "something that is no file, which cannot be read twice",
    todo: "Name a file. Nothing was written.",
  });
}

function assertNoLoss({ projects }: Plan, file: string, acceptLoss: boolean): void {
  const losing = projects.filter(({ lost }) => lost !== undefined);
  if (losing.length === 0 || acceptLoss) return;
  throw continuityError("older-copy", {
    expected: `${file} to hold the newest events that the store's anchor knows of`,
    found: losing.map(lossText).join(". "),
    todo:
      "Restore a newer backup if there is one. Else find out which steps were done since, and restore with " +
      "--accept-loss (acceptLoss in a program). Nothing was written.",
  });
}

interface One {
  readonly handle: FileHandle;
  readonly file: string;
  readonly plan: Plan;
  readonly planned: PlannedProject;
  readonly exact: boolean;
}

async function restoreOne({ store, objects, ...context }: Context, author: Author, one: One): Promise<void> {
  const { project, lost } = one.planned;
  const at = isoTime(context.now());
  // Before the rows that name them, and outside of the transaction, which must not wait for a storage.
  if (objects && one.planned.needsObjects) await putObjects(objects, one);
  let end: Position = beginning(project);
  const rows = (): ReturnType<typeof projectRows> =>
    projectRows(
      restoreEvents(context, author, one, at, (position) => (end = position)),
      () => endedLease(end.state, at),
    );
  const outcome = await store.createProject(project, rows);
  if (outcome === "exists")
    throw continuityError("project-exists", {
      expected: `no project ${nameInline(project.project_id)} in the store`,
      found: "one that another process has created meanwhile",
      todo: "End that process, and restore again. Of this project nothing was written.",
    });
  context.crashPoint("project:committed");
  if (end.checksum !== null)
    store.anchor?.reset({
      workflow_id: project.workflow_id,
      event_seq: end.event_seq,
      checksum: end.checksum,
      fencing_token: Math.max(end.state.lease.fencing_token, lost?.fencing_token ?? 0),
    });
}

async function putObjects(objects: ObjectStorage, { handle, file, planned }: One): Promise<void> {
  for await (const { event, result } of readProject(handle, file, planned.place)) {
    const completion = readCompletion(event);
    const name = completion && resultObject(completion.result_snapshot_ref);
    if (name !== undefined) await objects.put(name, new TextEncoder().encode(result));
  }
}

/** Yields the events of a project from the file, again checked, and the event of the restoration. */
async function* restoreEvents(
  { newId, producer_version }: Pick<Context, "newId" | "producer_version">,
  author: Author,
  { handle, file, plan, planned: { project, place, lost }, exact }: One,
  at: string,
  reached: (position: Position) => void,
): AsyncGenerator<WrittenEvent> {
  let end: Position = beginning(project);
  for await (const item of readProject(handle, file, place)) {
    end = item.position;
    reached(end);
    yield item;
  }
  if (end.checksum !== project.checksum) throw changed(file);
  if (exact) return;
  const { created_at } = plan.heading;
  const { event, position } = nextEvent(
    end,
    restoreProject(
      {
        event_seq: end.event_seq,
        checksum: end.checksum,
        backup: { created_at, sha256: plan.end.sha256 },
        lost: lost ? { event_seq: lost.event_seq, checksum: lost.checksum } : null,
      },
      Math.max(project.fencing_token, lost?.fencing_token ?? 0),
    ),
    { event_id: newId(), at, author, producer_version },
  );
  reached(position);
  yield { event };
}

function changed(file: string): ContinuityError {
  return continuityError("damaged", {
    expected: `${file} to stay as it was when it was checked`,
    found: "another content",
    todo: "Let nobody write to it, and restore again. Of this project nothing was written.",
  });
}

async function verified({ store, objects }: Context, planned: PlannedProject): Promise<RestoredProject> {
  const { project, todo, open_steps, lost } = planned;
  const row = await store.workflow(project.workflow_id);
  const { damages } = await verifyWorkflow(
    store,
    row ?? {
      ...project,
      last_event_seq: project.event_seq,
      head_checksum: project.checksum,
    },
    objects,
    { database: false },
  );
  return {
    project_id: project.project_id,
    outcome: todo === "restore" ? "restored" : "present",
    event_seq: row?.last_event_seq ?? 0,
    checksum: row?.head_checksum ?? null,
    open_steps: listStepIds(open_steps),
    lost: lost ? { event_seq: lost.event_seq, checksum: lost.checksum } : null,
    damages,
  };
}
