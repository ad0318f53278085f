import { openErasure, type Erasure, type TablesPlace } from "./sql/erasure.ts";
import { continuityError } from "./base/errors.ts";
import type { ObjectStorage } from "./ledger/store.ts";

export type { TablesPlace } from "./sql/erasure.ts";

/** What is stored of one project. */
export interface StoredProject {
  readonly project_id: string;
  readonly workflow_id: string;
  readonly events: number;
  readonly snapshots: number;
  readonly steps: number;
  /** Characters of events, snapshots and results. */
  readonly size: number;
  /** Names of objects, as far as rows name them or the storage lists them. */
  readonly objects: readonly string[];
  /** Who may be executing a step of it now. */
  readonly lease: { readonly owner_id: string; readonly until: string } | undefined;
}

/** What was removed. */
export interface RemovedProjects {
  readonly projects: readonly StoredProject[];
  /** What may be left all the same, in a sentence. */
  readonly left?: string;
}

/** How a project is removed. */
export interface RemovalOptions {
  readonly objects?: ObjectStorage | undefined;
  /** Also when an executor has its lease. */
  readonly force?: boolean;
  /** Called at these places; a test ends the process there. */
  readonly reached?: (place: "objects-removed" | "rows-removed") => void;
}

const OBJECT = "object:";

/**
 * Looks what is stored of these projects; those that are not there are left out. Changes nothing. Throws a
 * ContinuityError.
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

/** The names of all projects. Throws a ContinuityError. */
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
 * Removes projects with everything that is stored of them: events, snapshots, steps, results that no other project has,
 * leases, objects. The files of a SQLite store hold nothing of them afterwards. After a kill it is done by doing it
 * again. A process that has one open begins it anew with its next command. Throws a ContinuityError: `lease-held` while
 * a step may be executed, `no-object-storage` and `unavailable` where objects cannot be removed; the project's rows are
 * all there then.
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
      if (!project) continue;
      assertRemovable(project, { objects, force });
      // The rows that name them go behind them: whoever is killed between finds the rest again.
      for (const name of project.objects) await objects?.remove(name);
      reached("objects-removed");
      await tables.transaction(() => removeRows(tables, project.workflow_id));
      reached("rows-removed");
      projects.push(project);
    }
    // Also when nothing was found: an earlier try may have been killed behind its rows.
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
  if (!workflow) return undefined;
  const workflow_id = String(workflow["workflow_id"]);
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
  const until = timeOf(lease?.["lease_expires_at"]);
  // One that was given back ends with its last heartbeat.
  const isHeld = lease !== undefined && timeOf(lease["heartbeat_at"]) < until && until > Date.now();
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

function timeOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Date.parse(String(value));
}

/** Throws a ContinuityError when a project cannot be removed now: `lease-held`, `no-object-storage`. */
export function assertRemovable(
  { project_id, lease, objects: named }: StoredProject,
  { objects, force = false }: Pick<RemovalOptions, "objects" | "force">,
): void {
  if (lease && !force) {
    throw continuityError("lease-held", {
      expected: `nobody to execute a step of ${project_id}`,
      found: `${lease.owner_id}, who has its lease until ${lease.until}`,
      todo: "Wait until it ends or is given back. Nothing was removed.",
    });
  }
  if (named.length > 0 && !objects) {
    throw continuityError("no-object-storage", {
      expected: `the object storage that holds ${named.length} objects of ${project_id}`,
      found: "none was configured",
      todo: "Name the storage that they were written to. Nothing was removed.",
    });
  }
}

async function removeRows(tables: Erasure, workflow_id: string): Promise<void> {
  // A result is stored once for all that have the same.
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
