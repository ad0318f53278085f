import {
  type ActiveWorkState,
  type Checkpoint,
  type Json,
  type Project,
  type Task,
  type WorkState,
} from "../continuity/index.ts";
import { continuityError } from "../continuity/base/errors.ts";
import { ownEntry, requireTask } from "../continuity/decide/find.ts";
import { openAttempts } from "../continuity/decide/open-attempts.ts";
import { isEngines } from "../continuity/decide/step-words.ts";
import { openDependencies } from "../continuity/decide/tasks.ts";
import { readTaskEnd } from "../continuity/work/ended.ts";
import { listBlockers } from "../continuity/work/next-step.ts";
import {
  age,
  compact,
  goalAnswer,
  type Host,
  nextWithAge,
  paged,
  type Staleness,
  stepAnswer,
  taskAnswer,
  workAnswer,
} from "./answers.ts";
import type { GetWork } from "./inputs.ts";
import { changesView, doneView } from "./past.ts";
import { Reading } from "./reading.ts";

const MAY_BE_RUNNING =
  "Each without executed_by is being executed by the lease's owner, or was begun by one that ended and may have run. " +
  "Find out, then resolve it.";

const HAS_SINCE: ReadonlySet<string> = new Set(["changes", "done"]);

type Answer = { readonly [key: string]: Json };

/** What a view is made of. */
interface Viewed {
  readonly state: WorkState;
  readonly work: ActiveWorkState;
  readonly staleness: Staleness;
  readonly reading: Reading;
  readonly offset: number;
}

/**
 * Answers a question about the work, or about one task. A list has at most 20 entries and `more` says how many are left
 * out. `seq` is the number of the last event; the changes since then can be asked for.
 */
export async function viewWork(
  project: Project,
  { view: wanted, task_id, since, offset = 0 }: GetWork,
  { calls, ...staleness }: Staleness & Host,
): Promise<Answer> {
  const reading = new Reading(project.author, calls);
  const view = wanted ?? (since === undefined ? "overview" : "changes");
  if (since !== undefined && (task_id !== undefined || !HAS_SINCE.has(view)))
    throw continuityError("bad-input", {
      expected: "since with the view changes or done, without a task_id",
      found: task_id === undefined ? `the view ${view}` : "a task_id",
      todo: "Leave since out, or ask for the changes. Nothing was read.",
    });
  // Read before the state: what is written in between is then among the changes since.
  const seq = await project.position();
  if (task_id !== undefined) return reading.answer({ seq, ...(await oneTask(project, task_id, reading)) });
  if (view === "changes") return reading.answer(await changesView(project, { since, offset }, reading));
  const state = await project.state();
  const viewed: Viewed = { state, work: await project.toActiveWork(state), staleness, reading, offset };
  const views = {
    overview: () => overview(viewed),
    next: () => nextWithAge(viewed.work, staleness, reading),
    ready: () => ready(viewed),
    doing: () => doing(viewed),
    blocked: () => blocked(viewed),
    steps: () => openSteps(project, viewed),
    done: () => doneView(project, { state, since, offset }, reading),
  };
  return reading.answer({ seq, ...(await views[view]()) });
}

function overview({ state, work, staleness, reading, offset }: Viewed): Answer {
  const paused = Object.values(state.goals).filter(({ status }) => status === "paused");
  const { list, more } = paged(paused, 0, (goal) => goalAnswer(goal, reading));
  return compact({
    ...workAnswer({ ...work, tasks: work.tasks.slice(offset) }, staleness, reading),
    paused_goals: list,
    more_paused_goals: more || null,
  });
}

/** What the reader can start, the best one first. */
function ready({ work, reading, offset }: Viewed): Answer {
  const { list, more } = paged(work.ready, offset, (task) =>
    compact({ ...taskAnswer(task, reading), depends_on: null }),
  );
  return { tasks: list, ...compact({ more }) };
}

function doing({ state, work, staleness, reading, offset }: Viewed): Answer {
  const tasks = work.tasks.filter(({ status }) => status === "doing");
  const { list, more } = paged(tasks, offset, (task) => ({
    ...withHandle(task, state.checkpoints[task.task_id], reading),
  }));
  return { ...age(work, staleness), tasks: list, ...compact({ active_task: work.active_task?.task_id, more }) };
}

/** Everything that waits: for what was said, for other tasks, or for its goal to go on. */
function blocked({ state, work, reading, offset }: Viewed): Answer {
  const waits = (task: Task): boolean =>
    task.status === "blocked" ||
    state.goals[task.goal_id]?.status === "paused" ||
    (task.status === "todo" && openDependencies(state, task).length > 0) ||
    listBlockers(state, task).length > 0;
  const { list, more } = paged(work.tasks.filter(waits), offset, (task) => {
    const blockers = listBlockers(state, task);
    return compact({
      ...taskAnswer(task, reading),
      depends_on: null,
      blockers: blockers.map(({ blocker }) => blocker),
      ...reading.writtenBy({ title: task.author, blockers: blockers.map(({ author }) => author) }),
      waits_for: openDependencies(state, task).map((one) => one.task_id),
      goal: state.goals[task.goal_id]?.status === "paused" ? "paused" : null,
    });
  });
  return { tasks: list, ...compact({ more }) };
}

async function openSteps(project: Project, { work, reading, offset }: Viewed): Promise<Answer> {
  const { list, more } = paged(work.open_steps, offset, (step) => stepAnswer(step, reading));
  const lease = work.open_steps.every(isEngines) ? undefined : await project.leaseRow();
  if (lease === undefined) return { open_steps: list, ...compact({ more }) };
  const { owner_id: owner, acquired_at: since, lease_expires_at: until } = lease;
  return { open_steps: list, ...compact({ more }), lease: { owner, since, until }, note: MAY_BE_RUNNING };
}

/** All that is recorded of a task, also of one that is done; of one that was dropped, why. */
async function oneTask(project: Project, task_id: string, reading: Reading): Promise<Answer> {
  const [state, finished] = [await project.state(), await project.finished([task_id])];
  const task = ownEntry(state.tasks, task_id) ?? ownEntry(finished.tasks, task_id);
  if (task === undefined) {
    const end = readTaskEnd(await project.latestChange(task_id));
    // Names the open ones.
    if (end === undefined) return requireTask(state, task_id, { author: project.author, finished }) as never;
    const { status, at, author, data } = end;
    return compact({
      task_id,
      status,
      at,
      why: (data["reason"] ?? data["evidence"] ?? null) as Json,
      ...reading.writtenBy({ why: author }),
    });
  }
  const goal = ownEntry(state.goals, task.goal_id) ?? ownEntry(finished.goals, task.goal_id);
  const handle = ownEntry(state.checkpoints, task_id) ?? ownEntry(finished.checkpoints, task_id);
  const steps = openAttempts(state).filter((step) => step.task_id === task_id);
  return compact({
    ...withHandle(task, handle, reading),
    goal: goal ? { text: goal.text, status: goal.status, ...reading.writtenBy({ text: goal.author }) } : null,
    open_steps: paged(steps, 0, (step) => stepAnswer(step, reading)).list,
  });
}

/** Returns a task with its checkpoint and what is said of its status. */
function withHandle(task: Task, checkpoint: Checkpoint | undefined, reading: Reading): Answer {
  const { blockers, pause_reason, evidence, acceptance_criteria, author, criteria_author, status_author } = task;
  const { where_we_left_off, next_step, needed_context_refs = [], author: byHandle } = checkpoint ?? {};
  const handle = { where_we_left_off, next_step, needed_context_refs };
  return compact({
    ...taskAnswer(task, reading),
    acceptance_criteria,
    blockers,
    pause_reason,
    evidence,
    ...handle,
    ...(checkpoint && checkpoint.blockers.length > 0 ? { checkpoint_blockers: checkpoint.blockers } : {}),
    ...reading.writtenBy({
      title: author,
      status: status_author,
      ...(acceptance_criteria.length === 0 ? {} : { acceptance_criteria: criteria_author ?? author }),
      ...(checkpoint === undefined ? {} : { checkpoint: byHandle }),
    }),
  });
}
