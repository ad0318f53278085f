/** Whether a project needs a person and why: what the report and the page on recorded work show first. */
import {
  type ActiveWorkState,
  authorBy,
  type Continuity,
  ContinuityError,
  type ContinuityErrorCode,
  type ContinuityStore,
  isRested,
  type LeaseRow,
  type LostProject,
  type Project,
  type TaskStatus,
  type WorkState,
} from "../continuity/index.ts";
import { isInProgress, type LeaseView, leaseView } from "./lease-view.ts";

/** Why a project needs a person, most urgent first. */
export const NEEDS = ["damaged", "older_copy", "unknown_step", "blocked", "rested"] as const;

/**
 * `damaged`: it cannot be read. `older_copy`: what was done since the copy from which it goes on is not confirmed.
 * `unknown_step`: a step may have run, and nobody is executing it. `blocked`: no task is in progress, and one is
 * blocked. `rested`: agents ask before they continue it.
 */
export type Need = (typeof NEEDS)[number];

/** The active work of a project, and what a person looks for in addition. */
export interface ProjectStatus extends ActiveWorkState {
  readonly needs: Need | null;
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly events: number;
  readonly completed_steps: number;
  /** The lease that was not released; null for a free one. */
  readonly lease: LeaseView | null;
  readonly stale: boolean;
}

/** A project that cannot be read. */
export interface UnreadProject {
  readonly needs: "damaged";
  /** Null for a lost project whose name is in no row. */
  readonly project_id: string | null;
  readonly workflow_id: string | null;
  readonly code: ContinuityErrorCode;
  readonly message: string;
}

/** Returns the status of a project at `now`, milliseconds since 1970. Throws a ContinuityError. */
export async function projectStatus(
  project: Project,
  store: ContinuityStore,
  now: number,
): Promise<{ readonly status: ProjectStatus; readonly state: WorkState }> {
  const { state, events, leaseRow } = await consistent(project, store);
  const work = await project.as(authorBy("cli")).toActiveWork(state);
  const lease = leaseView(leaseRow, now);
  const stale = isRested(work, now);
  const status = {
    ...work,
    needs: findNeed(work, lease, stale),
    counts: countTasks(state),
    events,
    completed_steps: state.completed_steps,
    lease,
    stale,
  };
  return { status, state };
}

const MAX_TRIES = 5;

/**
 * Returns the state and the lease of one moment, as far as other processes let it: a step and the lease under which it
 * began would else be taken for those of two owners.
 */
async function consistent(
  project: Project,
  store: ContinuityStore,
): Promise<{ readonly state: WorkState; readonly events: number; readonly leaseRow: LeaseRow | undefined }> {
  for (let tries = 1; ; tries++) {
    const before = (await store.workflow(project.workflow_id))?.last_event_seq ?? 0;
    const state = await project.state();
    const leaseRow = await store.lease(project.workflow_id);
    const events = (await store.workflow(project.workflow_id))?.last_event_seq ?? 0;
    if (events === before || tries === MAX_TRIES) return { state, events, leaseRow };
  }
}

/** Returns whether a project could not be read. */
export function isUnread(project: ProjectStatus | UnreadProject): project is UnreadProject {
  return "code" in project;
}

/**
 * Calls `seen` with each project of the store, the unreadable and lost ones included, so that one of them hides no
 * other. Throws a ContinuityError for what concerns the whole store: `unavailable`, `busy`.
 */
export async function eachProject(
  { continuity, store }: { readonly continuity: Continuity; readonly store: ContinuityStore },
  now: number,
  seen: (
    project: UnreadProject | { readonly project: Project; readonly status: ProjectStatus; readonly state: WorkState },
  ) => Promise<void> | void,
): Promise<void> {
  const lost = await continuity.lostProjects();
  for (const one of lost) await seen(toUnread(one));
  const names = new Set(lost.map(({ project_id }) => project_id));
  for (const project_id of await continuity.projects()) {
    if (names.has(project_id)) continue;
    try {
      const project = await continuity.find(project_id);
      // Another process has removed it meanwhile.
      if (!project) continue;
      await seen({ project, ...(await projectStatus(project, store, now)) });
    } catch (error) {
      if (!(error instanceof ContinuityError) || !OF_ONE_PROJECT.has(error.code)) throw error;
      const { code, message } = error;
      await seen({ needs: "damaged", project_id, workflow_id: null, code, message });
    }
  }
}

/** Sorts projects by what needs a person first, then by the last change, the latest first, then by name. */
export function byNeed<Item>(items: readonly Item[], toStatus: (item: Item) => ProjectStatus | UnreadProject): Item[] {
  const keyed = items.map((item) => {
    const project = toStatus(item);
    const name = project.project_id ?? "";
    return isUnread(project)
      ? { item, rank: NEEDS.indexOf(project.needs), changed: "", name }
      : { item, rank: rankProject(project), changed: project.worked_at ?? "", name };
  });
  return keyed
    .toSorted((a, b) => a.rank - b.rank || order(b.changed, a.changed) || order(a.name, b.name))
    .map(({ item }) => item);
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function rankProject(project: ProjectStatus): number {
  if (project.needs !== null) return NEEDS.indexOf(project.needs);
  return isIdle(project) ? NEEDS.length + 1 : NEEDS.length;
}

/** Returns whether a project has no task, step or lease that is open. */
export function isIdle({ tasks, open_steps, lease }: ProjectStatus): boolean {
  return tasks.length === 0 && open_steps.length === 0 && lease === null;
}

/** Errors that concern one project and no other. */
const OF_ONE_PROJECT: ReadonlySet<ContinuityErrorCode> = new Set([
  "damaged",
  "newer",
  "no-object-storage",
  "older-copy",
]);

function toUnread({ project_id, workflow_id, message }: LostProject): UnreadProject {
  return { needs: "damaged", project_id, workflow_id, code: "damaged", message };
}

function findNeed(
  { open_steps, tasks, unknown_since }: ActiveWorkState,
  lease: LeaseView | null,
  stale: boolean,
): Need | null {
  if (unknown_since) return "older_copy";
  if (open_steps.some((step) => !isInProgress(step, lease))) return "unknown_step";
  const has = (status: TaskStatus): boolean => tasks.some((task) => task.status === status);
  if (has("blocked") && !has("doing")) return "blocked";
  return stale ? "rested" : null;
}

function countTasks(state: WorkState): Record<TaskStatus, number> {
  const counts = { doing: 0, blocked: 0, todo: 0, done: state.finished?.tasks ?? 0 };
  for (const { status } of Object.values(state.tasks)) counts[status] += 1;
  return counts;
}
