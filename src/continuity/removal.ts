/** Deletes projects with all that is stored of them, and tells before what that is. */
import { openErasure, type Erasure, type TablesPlace } from "./sql/erasure.ts";
import { AnchorFile } from "./anchor/anchor-file.ts";
import { anchorBeside } from "./sql/sqlite.ts";
import { continuityError } from "./base/errors.ts";
import { workflowId } from "./base/workflow-id.ts";
import type { ObjectStorage } from "./ledger/store.ts";

export type { TablesPlace } from "./sql/erasure.ts";

/** The stored data of one project, in numbers. */
export interface StoredProject {
  readonly project_id: string;
  readonly workflow_id: string;
  readonly events: number;
  readonly snapshots: number;
  readonly steps: number;
  /** Characters of events, snapshots and results. */
  readonly size: number;
  /** Names of objects that rows name or the storage lists. */
  readonly objects: readonly string[];
  /** The owner of a valid lease, who may be executing a step now. */
  readonly lease: { readonly owner_id: string; readonly until: string } | undefined;
}

/** The outcome of a removal. */
export interface RemovedProjects {
  readonly projects: readonly StoredProject[];
  /** What may still be stored, in a sentence. */
  readonly left?: string;
}

/** Options of a removal. */
export interface RemovalOptions {
  readonly objects?: ObjectStorage | undefined;
  /** Removes a project also while an executor has its lease. */
  readonly force?: boolean;
  /** Called at these places; a test ends the process there. */
  readonly reached?: (place: "objects-removed" | "rows-removed") => void;
}

const OBJECT = "object:";

/**
 * Returns what is stored of these projects; missing projects are left out. Changes nothing. Throws a ContinuityError.
 */
export async function storedProjects(
  place: TablesPlace,
  project_ids: readonly string[],
  { objects }: Pick<RemovalOptions, "objects"> = {},
): Promise<StoredProject[]> {
  const tables = await openErasure(place);
  try {
    const found: StoredProject[] = [];
    for (const project_id of project_ids) {
      const project = await read(tables, project_id, objects);
      if (project) found.push(project);
    }
    return found;
  } finally {
    await tables.close();
  }
}

/** Returns the names of all projects, sorted. Throws a ContinuityError. */
export async function projectNames(place: TablesPlace): Promise<string[]> {
  const tables = await openErasure(place);
  try {
    return (await tables.all("SELECT project_id FROM workflows ORDER BY project_id")).map(({ project_id }) =>
      String(project_id),
    );
  } finally {
    await tables.close();
  }
}

/**
 * Removes projects with everything that is stored of them: events, snapshots, steps, results that no other project
 * shares, leases, objects. The files of a SQLite store hold nothing of them afterwards. A removal that was killed is
 * completed by repeating it. A process that has such a project open creates it again with its next command. Throws a
 * ContinuityError: `lease-held` while a step may be executing, `no-object-storage` and `unavailable` when objects
 * cannot be removed; the rows of that project are then complete.
 */
export async function removeProjects(
  place: TablesPlace,
  project_ids: readonly string[],
  options: RemovalOptions = {},
): Promise<RemovedProjects> {
  const { objects, force = false, reached = () => undefined } = options;
  const tables = await openErasure(place);
  try {
    const projects: StoredProject[] = [];
    for (const project_id of project_ids) {
      const project = await read(tables, project_id, objects);
      if (!project) {
        // Its rows were lost, and the anchor may know it still.
        findAnchor(place)?.remove(workflowId(project_id));
        continue;
      }
      assertRemovable(project, { objects, force });
      // The rows that name the objects are removed after them: a repetition after a kill finds the remaining objects.
      for (const name of project.objects) await objects?.remove(name);
      reached("objects-removed");
      // Before the rows: a project without rows that an anchor still names would be taken for an older copy.
      findAnchor(place)?.remove(project.workflow_id);
      await tables.transaction(() => removeRows(tables, project.workflow_id));
      reached("rows-removed");
      projects.push(project);
    }
    // Also when nothing was found: an earlier removal may have been killed after its rows.
    const left = await tables.tidy();
    return { projects, ...(left !== undefined && { left }) };
  } finally {
    await tables.close();
  }
}

async function read(
  tables: Erasure,
  project_id: string,
  objects: ObjectStorage | undefined,
): Promise<StoredProject | undefined> {
  const [workflow] = await tables.all("SELECT workflow_id FROM workflows WHERE project_id = ?", project_id);
  // The row may be lost: what is left of the project has the id that its name gives.
  const workflow_id = workflow ? String(workflow["workflow_id"]) : workflowId(project_id);
  const sum = async (table: string, text: string): Promise<[number, number]> => {
    const [row] = await tables.all(
      `SELECT count(*) AS n, coalesce(sum(length(CAST(${text} AS TEXT))), 0) AS size
         FROM ${table} WHERE workflow_id = ?`,
      workflow_id,
    );
    return [Number(row?.["n"]), Number(row?.["size"])];
  };
  const [events, eventSize] = await sum("events", "payload");
  const [snapshots, snapshotSize] = await sum("snapshots", "state_inline");
  const [steps] = await sum("step_attempts", "step_id");
  const [, resultSize] = await sum(
    "completed_steps JOIN step_results ON step_results.checksum = completed_steps.result_checksum",
    "content",
  );
  const [lease] = await tables.all(
    "SELECT owner_id, lease_expires_at, heartbeat_at FROM workflow_leases WHERE workflow_id = ?",
    workflow_id,
  );
  const until = parseTime(lease?.["lease_expires_at"]);
  // A released lease ends with its last heartbeat.
  const isHeld = lease !== undefined && parseTime(lease["heartbeat_at"]) < until && until > (await tables.now());
  const named = [
    ...(
      await tables.all(
        "SELECT state_s3_key AS name FROM snapshots WHERE workflow_id = ? AND state_s3_key IS NOT NULL",
        workflow_id,
      )
    ).map(({ name }) => String(name)),
    ...(
      await tables.all(
        `SELECT result_snapshot_ref AS name FROM completed_steps
           WHERE workflow_id = ? AND result_snapshot_ref LIKE '${OBJECT}%'`,
        workflow_id,
      )
    ).map(({ name }) => String(name).slice(OBJECT.length)),
  ];
  if (!workflow && events + snapshots + steps === 0 && lease === undefined) return undefined;
  const listed = (await objects?.list?.(`${workflow_id}/`)) ?? [];
  return {
    project_id,
    workflow_id,
    events,
    snapshots,
    steps,
    size: eventSize + snapshotSize + resultSize,
    objects: [...new Set([...named, ...listed])],
    lease: isHeld ? { owner_id: String(lease["owner_id"]), until: new Date(until).toISOString() } : undefined,
  };
}

function findAnchor({ file, anchor }: TablesPlace): AnchorFile | undefined {
  if (anchor) return new AnchorFile(anchor);
  return file === undefined ? undefined : new AnchorFile({ file: anchorBeside(file) });
}

function parseTime(value: unknown): number {
  return value instanceof Date ? value.getTime() : Date.parse(String(value));
}

/** Throws a ContinuityError when a project cannot be removed now: `lease-held`, `no-object-storage`. */
export function assertRemovable(
  { project_id, lease, objects: named }: StoredProject,
  { objects, force = false }: Pick<RemovalOptions, "objects" | "force">,
): void {
  if (lease && !force) {
    throw continuityError("lease-held", {
      expected: `no valid lease of ${project_id}, so that no step is executing`,
      found: `${lease.owner_id} has the lease until ${lease.until}`,
      todo: "Wait until the lease expires or is released. Nothing was removed.",
    });
  }
  if (named.length > 0 && !objects) {
    throw continuityError("no-object-storage", {
      expected: `the object storage that holds ${named.length} objects of ${project_id}`,
      found: "no object storage in the configuration",
      todo: "Configure the storage to which they were written. Nothing was removed.",
    });
  }
}

async function removeRows(tables: Erasure, workflow_id: string): Promise<void> {
  // Equal results share a row.
  await tables.all(
    `DELETE FROM step_results WHERE checksum IN (SELECT result_checksum FROM completed_steps WHERE workflow_id = ?)
       AND NOT EXISTS (
         SELECT 1 FROM completed_steps other
         WHERE other.result_checksum = step_results.checksum AND other.workflow_id <> ?)`,
    workflow_id,
    workflow_id,
  );
  for (const table of ["completed_steps", "step_attempts", "snapshots", "events", "workflow_leases", "workflows"])
    await tables.all(`DELETE FROM ${table} WHERE workflow_id = ?`, workflow_id);
}
