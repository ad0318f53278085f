import type { Author } from "../base/author.ts";
import { openDependencies } from "../decide/tasks.ts";
import type { Goal, Task, WorkState } from "../base/state.ts";

/** The authors of the texts of a next step; null for texts from before authors were recorded. */
export interface StepAuthors {
  readonly goal: Author | null;
  /** Author of the title. */
  readonly task: Author | null;
  /** Author of the acceptance criteria. */
  readonly criteria: Author | null;
  /** Author of the checkpoint's texts; null also without a checkpoint. */
  readonly checkpoint: Author | null;
  readonly next_step: Author | null;
  /** Authors of the blockers, in their order. */
  readonly blockers: readonly (Author | null)[];
}

/** The task that comes next, with its single action. */
export interface NextStep {
  readonly kind: "step";
  /** The rule of the policy that chose the task. */
  readonly rule: "doing" | "blocked" | "todo";
  readonly goal_id: string;
  readonly task_id: string;
  readonly title: string;
  /** The checkpoint's next step, or else the task's title: nothing is invented. */
  readonly next_step: string;
  readonly next_step_from: "checkpoint" | "title";
  readonly where_we_left_off: string | null;
  readonly required_context_refs: readonly string[];
  readonly blockers: readonly string[];
  readonly acceptance_criteria: readonly string[];
  readonly authors: StepAuthors;
}

/** No task can be worked on: the agent may propose tasks, and nothing is decided. */
export interface ProposalRequest {
  readonly kind: "propose_tasks";
  readonly goals: readonly (Pick<Goal, "goal_id" | "text" | "priority"> & { readonly author: Author | null })[];
  /** Tasks that wait for others, with their open dependencies. */
  readonly waiting: readonly {
    readonly task_id: string;
    readonly title: string;
    readonly depends_on: readonly string[];
    readonly author: Author | null;
  }[];
}

/**
 * Returns the next step by this policy: the task that is being done; else the most recently blocked task; else the task
 * of the highest priority that can start; else a request for proposals. Only tasks of active goals count. Ties: of
 * several tasks being done, the one started last; of several tasks to do, the one whose goal has the higher priority,
 * then the one added first. "Last" and "first" are positions in the ledger, never times. The same state gives the same
 * answer.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, nextStep, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * assert.equal(nextStep(await site.state()).kind, "propose_tasks");
 * const { task_id } = await site.addTask({ goal_id, title: "Move the pictures" });
 * const next = nextStep(await site.state()); // as site.getNextStep() returns
 * assert.ok(next.kind === "step" && next.rule === "todo");
 * assert.equal(next.task_id, task_id);
 * assert.equal(next.next_step, "Move the pictures"); // its title, as there is no checkpoint
 * await continuity.close();
 * ```
 */
export function nextStep(state: WorkState): NextStep | ProposalRequest {
  const tasks = Object.values(state.tasks).filter(({ goal_id }) => state.goals[goal_id]?.status === "active");
  const latest = (status: Task["status"]): Task | undefined =>
    tasks.filter((task) => task.status === status).toSorted((a, b) => b.status_seq - a.status_seq)[0];
  const doing = latest("doing");
  if (doing) return stepOf(state, doing, "doing");
  const blocked = latest("blocked");
  if (blocked) return stepOf(state, blocked, "blocked");
  const todo = tasks.filter(({ status }) => status === "todo");
  const priority = (task: Task): number => state.goals[task.goal_id]?.priority ?? 0;
  const [first] = todo
    .filter((task) => openDependencies(state, task).length === 0)
    .toSorted((a, b) => priority(b) - priority(a) || a.created_seq - b.created_seq);
  if (first) return stepOf(state, first, "todo");
  return {
    kind: "propose_tasks",
    goals: activeGoals(state).map(({ goal_id, text, priority: rank, author = null }) => ({
      goal_id,
      text,
      priority: rank,
      author,
    })),
    waiting: todo
      .toSorted((a, b) => a.created_seq - b.created_seq)
      .map((task) => ({
        task_id: task.task_id,
        title: task.title,
        depends_on: openDependencies(state, task).map(({ task_id }) => task_id),
        author: task.author ?? null,
      })),
  };
}

/** Returns the active goals by priority, highest first, then in the order of creation. */
export function activeGoals(state: WorkState): Goal[] {
  return Object.values(state.goals)
    .filter(({ status }) => status === "active")
    .toSorted((a, b) => b.priority - a.priority || a.created_seq - b.created_seq);
}

function stepOf(state: WorkState, task: Task, rule: NextStep["rule"]): NextStep {
  const checkpoint = state.checkpoints[task.task_id];
  const blockers = blockersOf(state, task);
  const [byTask, byCheckpoint] = [task.author ?? null, checkpoint?.author ?? null];
  return {
    kind: "step",
    rule,
    goal_id: task.goal_id,
    task_id: task.task_id,
    title: task.title,
    next_step: checkpoint?.next_step ?? task.title,
    next_step_from: checkpoint ? "checkpoint" : "title",
    where_we_left_off: checkpoint?.where_we_left_off ?? null,
    required_context_refs: checkpoint?.needed_context_refs ?? [],
    blockers: blockers.map(({ blocker }) => blocker),
    acceptance_criteria: task.acceptance_criteria,
    authors: {
      goal: state.goals[task.goal_id]?.author ?? null,
      task: byTask,
      criteria: task.criteria_author === undefined ? byTask : task.criteria_author,
      checkpoint: byCheckpoint,
      next_step: checkpoint ? byCheckpoint : byTask,
      blockers: blockers.map(({ author }) => author),
    },
  };
}

/** A reason why a task waits, and its author; null for one from before authors were recorded. */
export interface Blocker {
  readonly blocker: string;
  readonly author: Author | null;
}

/** Returns the blockers of a task and of its checkpoint, each once. */
export function blockersOf(state: WorkState, { task_id, blockers, status_author }: Task): Blocker[] {
  const checkpoint = state.checkpoints[task_id];
  const found = new Map<string, Author | null>(blockers.map((blocker) => [blocker, status_author ?? null]));
  for (const blocker of checkpoint?.blockers ?? [])
    if (!found.has(blocker)) found.set(blocker, checkpoint?.author ?? null);
  return [...found].map(([blocker, author]) => ({ blocker, author }));
}
