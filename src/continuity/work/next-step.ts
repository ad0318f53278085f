import type { Author } from "../base/author.ts";
import { openDependencies } from "../decide/tasks.ts";
import type { Goal, Task, WorkState } from "../base/state.ts";

/** Who wrote the texts of a next step; null where that was not recorded. */
export interface StepAuthors {
  readonly goal: Author | null;
  /** Of the title and the acceptance criteria. */
  readonly task: Author | null;
  /** Of where it was left off and the context that it needs; null also where there is no checkpoint. */
  readonly checkpoint: Author | null;
  readonly next_step: Author | null;
  /** Of each blocker, in their order. */
  readonly blockers: readonly (Author | null)[];
}

/** A task that comes next, with its single action. */
export interface NextStep {
  readonly kind: "step";
  /** Which rule of the policy chose it. */
  readonly rule: "doing" | "blocked" | "todo";
  readonly goal_id: string;
  readonly task_id: string;
  readonly title: string;
  /** From the task's checkpoint, else its title: nothing is made up. */
  readonly next_step: string;
  readonly next_step_from: "checkpoint" | "title";
  readonly where_we_left_off: string | null;
  readonly required_context_refs: readonly string[];
  readonly blockers: readonly string[];
  readonly acceptance_criteria: readonly string[];
  readonly authors: StepAuthors;
}

/** Nothing can be worked on: proposals are asked for, and nothing is committed to. */
export interface ProposalRequest {
  readonly kind: "propose_tasks";
  readonly goals: readonly (Pick<Goal, "goal_id" | "text" | "priority"> & { readonly author: Author | null })[];
  /** Tasks to do that wait for others, with what they wait for. */
  readonly waiting: readonly {
    readonly task_id: string;
    readonly title: string;
    readonly depends_on: readonly string[];
    readonly author: Author | null;
  }[];
}

/**
 * The next step by the document's policy (8.2) and no other: the task that is being done; else the most recently
 * blocked one; else the one of highest priority that can be started; else proposals are asked for. Only tasks of active
 * goals count. Ties: of several that are being done the one started last; of several to do the one whose goal has the
 * higher priority, then the one added first. "Last" and "first" go by position in the ledger, never by time. The same
 * state gives the same answer.
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
 * const next = nextStep(await site.state()); // what site.getNextStep() gives
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

/** Active goals, the most important first, then in the order they were created. */
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
      checkpoint: byCheckpoint,
      next_step: checkpoint ? byCheckpoint : byTask,
      blockers: blockers.map(({ author }) => author),
    },
  };
}

/** Something that keeps a task from going on, and who said so; null where that was not recorded. */
export interface Blocker {
  readonly blocker: string;
  readonly author: Author | null;
}

/** What keeps a task from going on, by the task itself and by its checkpoint, each once. */
export function blockersOf(state: WorkState, { task_id, blockers, status_author }: Task): Blocker[] {
  const checkpoint = state.checkpoints[task_id];
  const found = new Map<string, Author | null>(blockers.map((blocker) => [blocker, status_author ?? null]));
  for (const blocker of checkpoint?.blockers ?? [])
    if (!found.has(blocker)) found.set(blocker, checkpoint?.author ?? null);
  return [...found].map(([blocker, author]) => ({ blocker, author }));
}
