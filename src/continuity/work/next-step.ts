/** Decides what comes next in recorded work, by one policy for all readers. */
import type { Author } from "../base/author.ts";
import { findClaim } from "../decide/claims.ts";
import { type Claimant, isLive, isMine, isPerson } from "../base/holder.ts";
import { openDependencies } from "../decide/tasks.ts";
import type { Goal, Task, WorkState } from "../base/state.ts";

/** The authors of the texts of a next step. */
export interface StepAuthors {
  readonly goal: Author;
  /** Author of the title. */
  readonly task: Author;
  /** Author of the acceptance criteria. */
  readonly criteria: Author;
  /** Author of the checkpoint's texts; null without a checkpoint. */
  readonly checkpoint: Author | null;
  readonly next_step: Author;
  /** Authors of the blockers, in their order. */
  readonly blockers: readonly Author[];
  readonly failed_because?: Author;
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
  /** When it has to be done, ISO 8601 in UTC. */
  readonly due?: string;
  /** How often the task has failed. */
  readonly failures?: number;
  /** Why it failed last; only while it is to be tried again. */
  readonly failed_because?: string;
  readonly authors: StepAuthors;
}

/** No task can be worked on: the agent may propose tasks, and nothing is decided. */
export interface ProposalRequest {
  readonly kind: "propose_tasks";
  readonly goals: readonly Pick<Goal, "goal_id" | "text" | "priority" | "author">[];
  /** Tasks that wait for others, with their open dependencies. */
  readonly waiting: readonly {
    readonly task_id: string;
    readonly title: string;
    readonly depends_on: readonly string[];
    readonly author: Author;
  }[];
}

/** Who asks for the next step, and the store's time in milliseconds since 1970, by which claims end. */
export interface Viewer {
  readonly claimant: Pick<Claimant, "holder" | "isGone">;
  readonly clock: number;
}

/**
 * Who may do a task: `others` alone, the viewer (`mine`), or anybody (`free`). Without a viewer nobody claims anything.
 */
function standing(state: WorkState, { task_id }: Task, viewer: Viewer | undefined): "mine" | "others" | "free" {
  const claim = viewer && findClaim(state, task_id);
  if (viewer === undefined || claim === undefined) return viewer === undefined ? "mine" : "free";
  if (isPerson(viewer.claimant.holder) || isMine(claim.holder, viewer.claimant)) return "mine";
  return isLive(claim, viewer.clock) ? "others" : "free";
}

/**
 * Returns the next step by this policy: the task that is being done; else the most recently blocked task; else the task
 * of the highest priority that can start; else a request for proposals. Only tasks of active goals count. Ties: of
 * several tasks being done, the one started last; of several tasks to do, the one with the higher priority (its own, or
 * else that of its goal), then the one that is due first, then the one added first. "Last" and "first" are positions in
 * the ledger, never times. The same state gives the same answer. For a viewer, tasks that others hold are left out, and
 * its own tasks in progress come before those that nobody holds any more.
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
export function nextStep(state: WorkState, viewer?: Viewer): NextStep | ProposalRequest {
  const tasks = Object.values(state.tasks).filter((task) => isActive(state, task));
  const doable = tasks.filter((task) => standing(state, task, viewer) !== "others");
  const latest = (status: Task["status"], areLeft = false): Task | undefined =>
    doable
      .filter((task) => task.status === status && (standing(state, task, viewer) === "free") === areLeft)
      .toSorted((a, b) => b.status_seq - a.status_seq)[0];
  const doing = latest("doing") ?? latest("doing", true);
  if (doing) return toNextStep(state, doing, "doing");
  const blocked = latest("blocked") ?? latest("blocked", true);
  if (blocked) return toNextStep(state, blocked, "blocked");
  const [first] = startable(state, viewer);
  if (first) return toNextStep(state, first, "todo");
  const todo = doable.filter(({ status }) => status === "todo");
  return {
    kind: "propose_tasks",
    goals: activeGoals(state).map(({ goal_id, text, priority: rank, author }) => ({
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
        author: task.author,
      })),
  };
}

/**
 * Returns the tasks that can start, the best one first: what nobody does any more although it is in progress, then by
 * priority (its own, or else its goal's), then what is due first, then what was added first.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore, startable } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * await site.addTask({ goal_id, title: "Move the pictures" });
 * await site.addTask({ goal_id, title: "Move the mail", priority: 9 });
 * const titles = startable(await site.state()).map(({ title }) => title);
 * assert.deepEqual(titles, ["Move the mail", "Move the pictures"]);
 * await continuity.close();
 * ```
 */
export function startable(state: WorkState, viewer?: Viewer): Task[] {
  const priority = (task: Task): number => task.priority ?? state.goals[task.goal_id]?.priority ?? 0;
  return Object.values(state.tasks)
    .filter((task) => isActive(state, task) && standing(state, task, viewer) !== "others")
    .filter((task) =>
      isLeft(task)
        ? standing(state, task, viewer) === "free"
        : task.status === "todo" && openDependencies(state, task).length === 0,
    )
    .toSorted(
      (a, b) =>
        Number(isLeft(b)) - Number(isLeft(a)) ||
        priority(b) - priority(a) ||
        inOrder(a.due ?? LAST, b.due ?? LAST) ||
        a.created_seq - b.created_seq,
    );
}

/** Returns the best task that can start, as a step; null when none can. */
export function bestStart(state: WorkState, viewer?: Viewer): NextStep | null {
  const [best] = startable(state, viewer);
  return best ? toNextStep(state, best, best.status === "doing" ? "doing" : "todo") : null;
}

/** True for a task that is in progress, and startable only because nobody does it any more. */
function isLeft({ status }: Task): boolean {
  return status === "doing";
}

/** After every time. */
const LAST = "\u{ffff}";

function inOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function isActive(state: WorkState, { goal_id }: Task): boolean {
  return state.goals[goal_id]?.status === "active";
}

/** Returns the active goals by priority, highest first, then in the order of creation. */
export function activeGoals(state: WorkState): Goal[] {
  return Object.values(state.goals)
    .filter(({ status }) => status === "active")
    .toSorted((a, b) => b.priority - a.priority || a.created_seq - b.created_seq);
}

function toNextStep(state: WorkState, task: Task, rule: NextStep["rule"]): NextStep {
  const checkpoint = state.checkpoints[task.task_id];
  const blockers = listBlockers(state, task);
  const failed = task.failures === undefined ? undefined : (task.pause_reason ?? undefined);
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
    ...(task.due === undefined ? {} : { due: task.due }),
    ...(task.failures === undefined ? {} : { failures: task.failures }),
    ...(failed === undefined ? {} : { failed_because: failed }),
    authors: {
      goal: state.goals[task.goal_id]!.author,
      task: task.author,
      criteria: task.criteria_author ?? task.author,
      checkpoint: checkpoint?.author ?? null,
      next_step: checkpoint?.author ?? task.author,
      blockers: blockers.map(({ author }) => author),
      ...(failed === undefined ? {} : { failed_because: task.status_author }),
    },
  };
}

/** A reason why a task waits, and its author. */
export interface Blocker {
  readonly blocker: string;
  readonly author: Author;
}

/** Returns the blockers of a task and of its checkpoint, each once. */
export function listBlockers(state: WorkState, { task_id, blockers, status_author }: Task): Blocker[] {
  const checkpoint = state.checkpoints[task_id];
  const found = new Map(blockers.map((blocker) => [blocker, status_author]));
  if (checkpoint)
    for (const blocker of checkpoint.blockers) if (!found.has(blocker)) found.set(blocker, checkpoint.author);
  return [...found].map(([blocker, author]) => ({ blocker, author }));
}
