import { nameInline } from "../base/quoted.ts";
import { continuityError, ContinuityError } from "./base/errors.ts";
import { fromBackup } from "./base/from-backup.ts";
import { workflowId } from "./base/workflow-id.ts";
import { readSnapshot } from "./ledger/snapshots.ts";
import type { ContinuityStore, ObjectStorage, WorkflowRow } from "./ledger/store.ts";

/** A project whose row in `workflows` is missing or has another name or id, so that no name leads to its events. */
export interface LostProject {
  readonly workflow_id: string;
  /**
   * The name in a changed row; for a missing row the name in a snapshot, or null when no snapshot of it can be read:
   * events do not repeat it.
   */
  readonly project_id: string | null;
  /** How many events the tables have of it. */
  readonly events: number;
  /** What was expected, what was found and what to do. */
  readonly message: string;
}

const TODO = (): string => `The store was changed from outside. ${fromBackup()}`;

/** Returns the lost projects of a store, by workflow id. Changes nothing. Throws a ContinuityError. */
export async function lostProjects(store: ContinuityStore, objects: ObjectStorage | undefined): Promise<LostProject[]> {
  // In this order: the row of a new project is written before its first event.
  const without = await store.workflowsWithoutRow();
  const renamed = (await store.workflows()).filter(isRenamed);
  const missing: LostProject[] = [];
  for (const { workflow_id, events } of without) {
    const project_id = await nameInSnapshot(store, workflow_id, objects);
    const whose = project_id === null ? "" : ` (project ${nameInline(project_id)})`;
    const message =
      `expected a row in workflows for workflow ${workflow_id}${whose}; found none, and ${events} events of ` +
      `it. ${TODO()} Nothing was changed.`;
    missing.push({ workflow_id, project_id, events, message });
  }
  return [
    ...missing,
    ...renamed.map(({ workflow_id, project_id, last_event_seq: events }) => ({
      workflow_id,
      project_id,
      events,
      message:
        `expected the row of project ${nameInline(project_id)} in workflows to have the ` +
        `id ${workflowId(project_id)}, ` +
        `which its name gives; found ${workflow_id}: the name or the id was changed. ${TODO()} Nothing was changed.`,
    })),
  ].toSorted((a, b) => (a.workflow_id < b.workflow_id ? -1 : 1));
}

/** Throws `damaged` when the project with this name, of which no row was found, is a lost one. */
export async function assertNotLost(
  store: ContinuityStore,
  objects: ObjectStorage | undefined,
  project_id: string,
): Promise<void> {
  const id = workflowId(project_id);
  const lost = (await lostProjects(store, objects)).find(
    (one) => one.workflow_id === id || one.project_id === project_id,
  );
  if (lost === undefined) return;
  throw continuityError("damaged", {
    expected: `a row in workflows for project ${nameInline(project_id)} (workflow ${id})`,
    found:
      lost.workflow_id !== id || (lost.project_id !== null && lost.project_id !== project_id)
        ? `a row with the name ${nameInline(String(lost.project_id))} and the id ${lost.workflow_id}: the name or ` +
          "the id was changed"
        : `none, and ${lost.events} events of it`,
    todo: `${TODO()} Nothing was executed.`,
  });
}

function isRenamed({ workflow_id, project_id }: WorkflowRow): boolean {
  return workflowId(project_id) !== workflow_id;
}

async function nameInSnapshot(
  store: ContinuityStore,
  workflow_id: string,
  objects: ObjectStorage | undefined,
): Promise<string | null> {
  const snapshot = await store.latestSnapshot(workflow_id);
  if (!snapshot) return null;
  try {
    const { project_id } = (await readSnapshot(snapshot, store, objects)).state;
    return workflowId(project_id) === workflow_id ? project_id : null;
  } catch (error) {
    // The name is only help: of an unreadable snapshot nothing is known.
    if (error instanceof ContinuityError) return null;
    throw error;
  }
}
