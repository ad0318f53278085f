/** Several changes of one task or goal in one command, as `update_task` and `update_goal` take them. */
import { ContinuityError, continuityError } from "../base/errors.ts";
import { canonicalText } from "../base/json.ts";
import { type GoalStatus, isOver, type Task, type TaskStatus, type WorkState } from "../base/state.ts";
import { updateCheckpoint } from "./checkpoints.ts";
import type { Command, Decision, EventType } from "./decision.ts";
import { dropTask } from "./dropping.ts";
import { editGoal, editTask, type GoalEdit, type TaskEdit } from "./edits.ts";
import { requireGoal, taskCalled, requireTask } from "./find.ts";
import type { LastForm } from "./finished.ts";
import { setGoalStatus } from "./goals.ts";
import { blockTask, completeTask, type Details, failTask, moved, pauseTask, startTask } from "./tasks.ts";
import { TRANSITIONS } from "./transitions.ts";
import { Unchanged } from "./unchanged.ts";

/** Several changes of one task, written together. */
export interface TaskUpdate extends TaskEdit {
  readonly task_id: string;
  readonly status?: TaskStatus | "dropped" | "failed" | undefined;
  /** What a blocked task waits for, the evidence of a task that is done, or why the task changes or has failed. */
  readonly why?: string | undefined;
  /** With `next_step` a new checkpoint. */
  readonly where_we_left_off?: string | undefined;
  readonly next_step?: string | undefined;
  readonly needed_context_refs?: readonly string[] | undefined;
  readonly blockers?: readonly string[] | undefined;
}

/** Several changes of one goal, written as one event. */
export interface GoalUpdate extends GoalEdit {
  readonly goal_id: string;
  readonly status?: Exclude<GoalStatus, "dropped" | "failed"> | undefined;
}

/**
 * Thrown for a status that is reached over doing, when all of the update may be recorded: each transition is an event,
 * and `first` is the command of the first one. After it the update is decided again.
 */
export class OverDoing extends ContinuityError {
  readonly first: Command;

  constructor({ status }: Task, first: Command) {
    super("invalid-transition", `expected a task in progress; found one that is ${status}. Try again.`);
    this.first = first;
  }
}

/**
 * Changes status, words, dependencies and checkpoint of a task in one event. Throws {@link OverDoing} for a status that
 * is not reached directly, and {@link Unchanged} when all of it is recorded already.
 */
export function updateTask(update: TaskUpdate): Command {
  const { task_id, status, why } = update;
  assertComplete(update);
  if (status === "dropped") return dropTask({ task_id, reason: why! });
  return (state, moment) => {
    const task = requireTask(state, task_id, moment);
    const moves = status === undefined ? [] : movesTo(task, status, why);
    const words = isEdit(update) ? [editTask({ ...update, task_id })] : [];
    const { where_we_left_off, next_step, needed_context_refs = [], blockers = [] } = update;
    const handle =
      where_we_left_off === undefined || next_step === undefined
        ? []
        : [checkpointOnce({ task_id, where_we_left_off, next_step, needed_context_refs, blockers })];
    // A task that is done or in progress takes new words only after it has left that status.
    const isMovedFirst = task.status === "done" || status === "todo" || status === "blocked" || status === "failed";
    const commands = isMovedFirst ? [...moves, ...words, ...handle] : [...words, ...handle, ...moves];
    const unchanged = (now: WorkState): Unchanged =>
      new Unchanged(now, task_id, {
        expected: `a change of task ${taskCalled(task, moment.author)}`,
        found: "what is recorded already",
      });
    const reason = moves.length === 0 || status === "doing" ? why : undefined;
    const decision = composed("task_updated", { task_id }, commands, { reason, unchanged })(state, moment);
    const [start, move] = moves;
    if (start === undefined || move === undefined) return decision;
    // Words can be what lets a task start.
    const before = composed("task_updated", { task_id }, isMovedFirst ? [start] : [...words, start], { unchanged });
    throw new OverDoing(task, (now, then) => {
      // Another one has changed it since, or delivers the same update.
      if (requireTask(now, task_id, then).status_seq !== task.status_seq) throw unchanged(now);
      return before(now, then);
    });
  };
}

/**
 * Changes status, text and priority of a goal in one event. Throws {@link Unchanged} when all of it is recorded
 * already.
 */
export function updateGoal(update: GoalUpdate): Command {
  const { goal_id, status, text, priority } = update;
  if (status === undefined && text === undefined && priority === undefined)
    throw incomplete("a status, text or priority", "none of them");
  return (state, moment) => {
    const goal = requireGoal(state, goal_id, moment);
    const moves = status === undefined || status === goal.status ? [] : [setGoalStatus({ goal_id, status })];
    const words = text === undefined && priority === undefined ? [] : [editGoal({ goal_id, text, priority })];
    const commands = isOver(goal.status) ? [...moves, ...words] : [...words, ...moves];
    return composed("goal_updated", { goal_id }, commands, {
      unchanged: (now) =>
        new Unchanged(now, goal_id, { expected: "a change of the goal", found: "what is recorded already" }),
    })(state, moment);
  };
}

/** Throws `bad-input` for the end of a goal without a reason, or with other changes. */
export function assertOnlyEnd(status: string, why: string | undefined, words: Omit<GoalEdit, "goal_id">): void {
  if (why === undefined) throw incomplete(`why: the reason, with status ${status}`, "no why");
  if (words.text !== undefined || words.priority !== undefined)
    throw incomplete(`nothing but why with status ${status}`, "other changes of the goal");
}

const MOVES = {
  todo: (task_id: string, reason?: string) => pauseTask({ task_id, ...(reason === undefined ? {} : { reason }) }),
  doing: (task_id: string) => startTask({ task_id }),
  blocked: (task_id: string, reason?: string) => blockTask({ task_id, blocker: reason! }),
  done: (task_id: string, reason?: string) =>
    completeTask({ task_id, ...(reason === undefined ? {} : { evidence: reason }) }),
} satisfies Record<TaskStatus, (task_id: string, reason?: string) => Command>;

/** Returns the transitions to a status: none, one, or two over doing. */
function movesTo(task: Task, to: TaskStatus | "failed", reason: string | undefined): readonly Command[] {
  const { task_id, status } = task;
  if (to === "failed") {
    // A call that comes again because its answer was lost is no second failure.
    if (status !== "doing" && task.failures && reason === (task.pause_reason ?? task.blockers[0])) return [];
    const fail = failTask({ task_id, reason: reason! });
    return status === "doing" ? [fail] : [startTask({ task_id }), fail];
  }
  if (status === to) return reason === undefined ? [] : [saidAgain(task_id, to, reason)];
  const move = MOVES[to](task_id, reason);
  return TRANSITIONS[status].includes(to) ? [move] : [startTask({ task_id }), move];
}

const SAID_AGAIN: Readonly<Record<"todo" | "blocked", readonly [EventType, (reason: string) => Details]>> = {
  todo: ["task_paused", (reason) => ({ pause_reason: reason })],
  blocked: ["task_blocked", (reason) => ({ blockers: [reason] })],
};

/** Records another reason of a status that the task has; the evidence of a task that is done stays. */
function saidAgain(task_id: string, status: TaskStatus, reason: string): Command {
  return (state, moment) => {
    const task = requireTask(state, task_id, moment);
    const isKnown =
      status === "todo" ? task.pause_reason === reason : task.blockers.length === 1 && task.blockers[0] === reason;
    if (isKnown || (status !== "todo" && status !== "blocked"))
      throw new Unchanged(state, task_id, {
        expected: `another status of task ${taskCalled(task, moment.author)}`,
        found: `it is ${status} already`,
      });
    const [type, details] = SAID_AGAIN[status];
    return moved(state, task, status, type, moment, details(reason));
  };
}

/** Records a checkpoint, unless the latest one says the same. */
function checkpointOnce(handle: Required<Parameters<typeof updateCheckpoint>[0]>): Command {
  return (state, moment) => {
    const { timestamp: _, seq: _seq, author: _author, ...recorded } = state.checkpoints[handle.task_id] ?? {};
    if (canonicalText(recorded) === canonicalText(handle))
      throw new Unchanged(state, handle.task_id, { expected: "another checkpoint", found: "what is recorded already" });
    return updateCheckpoint(handle)(state, moment);
  };
}

/**
 * Returns one command for several, each decided on the state after those before it; those that change nothing are left
 * out. One that remains is recorded as itself, several as `type` with their own types and data under `changes`.
 */
function composed(
  type: EventType,
  subject: object,
  commands: readonly Command[],
  { reason, unchanged }: { readonly reason?: string | undefined; readonly unchanged: (state: WorkState) => Unchanged },
): Command {
  return (before, moment) => {
    const decisions: Decision[] = [];
    let state = before;
    for (const command of commands) {
      try {
        const decision = command(state, moment);
        decisions.push(decision);
        ({ state } = decision);
      } catch (error) {
        if (!(error instanceof Unchanged)) throw error;
      }
    }
    const [first, second] = decisions;
    if (first === undefined) throw unchanged(before);
    const why = reason === undefined ? {} : { reason };
    if (second === undefined) return { ...first, data: { ...first.data, ...why } };
    const changes = decisions.map((one) => ({ type: one.type, ...withoutLast(one.data) }));
    // Readers find the last form of what is finished in one place, whatever event it was.
    const { last } = decisions.at(-1)!.data as { readonly last?: LastForm };
    return { type, data: { ...subject, ...why, changes, ...(last ? { last } : {}) }, state };
  };
}

function withoutLast(data: object): object {
  const { last: _, ...rest } = data as { readonly last?: LastForm };
  return rest;
}

function isEdit({ title, acceptance_criteria, depends_on, priority, due, retries }: TaskEdit): boolean {
  return [title, acceptance_criteria, depends_on, priority, due, retries].some((one) => one !== undefined);
}

/** Throws `bad-input` for an update in which something is missing that belongs to the rest of it. */
function assertComplete(update: TaskUpdate): void {
  const { status, why, where_we_left_off, next_step, needed_context_refs, blockers } = update;
  const ofHandle = [where_we_left_off, next_step].filter((one) => one !== undefined).length;
  const hasMore = needed_context_refs !== undefined || blockers !== undefined;
  if (ofHandle === 1 || (ofHandle === 0 && hasMore))
    throw incomplete(
      "where_we_left_off and next_step together, with needed_context_refs or blockers if there are any",
      where_we_left_off === undefined ? "no where_we_left_off" : "no next_step",
      status === "done" ? "A task that is done needs neither: why says what shows it. " : "",
    );
  if ((status === "blocked" || status === "dropped" || status === "failed") && why === undefined)
    throw incomplete(
      status === "blocked"
        ? "why: what the task waits for, with status blocked"
        : `why: the reason, with status ${status}`,
      "no why",
    );
  if (status === "dropped" && (isEdit(update) || ofHandle > 0))
    throw incomplete("nothing but why with status dropped", "other changes of the task");
  if (status === undefined && !isEdit(update) && ofHandle === 0)
    throw incomplete(
      "a status, a checkpoint (where_we_left_off and next_step), a title, criteria, dependencies or a rank",
      "none of them",
    );
}

function incomplete(expected: string, found: string, todo = ""): Error {
  return continuityError("bad-input", { expected, found, todo: `${todo}Nothing was written.` });
}
