/** Finds the goal or task that a person means by an id or its beginning. */
import { valueInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { authorBy, type Goal, type Project, type Task, type WorkState } from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { isOver } from "../../continuity/base/state.ts";
import { goalCalled, taskCalled } from "../../continuity/decide/find.ts";

/**
 * Characters that the beginning of an id needs. There are no numbers to choose by: between looking and choosing, an
 * agent may have added a task, and a number would then be another one's.
 */
const LEAST = 4;
const MAX_NAMED = 10;
const READER = authorBy("cli");

interface Candidate {
  readonly id: string;
  readonly called: string;
  readonly isOpen: boolean;
}

/** A whole id of ours, which the kernel also knows when the goal or task has left the state. */
const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the id of the goal that `given` begins, also of a finished one. Throws `bad-input` or `not-found` with the
 * goals there are.
 */
export function resolveGoalId(project: Project, state: WorkState, given: string): Promise<string> {
  return resolveId(project, "goal", given, Object.values(state.goals).map(ofGoal));
}

/**
 * Returns the id of the task that `given` begins, also of a finished one. Throws `bad-input` or `not-found` with the
 * tasks there are.
 */
export function resolveTaskId(project: Project, state: WorkState, given: string): Promise<string> {
  return resolveId(project, "task", given, Object.values(state.tasks).map(ofTask));
}

async function resolveId(
  project: Project,
  kind: "goal" | "task",
  given: string,
  known: readonly Candidate[],
): Promise<string> {
  if (given.length < LEAST || known.some(({ id }) => isBegunBy(id, given))) return only(kind, given, known);
  if (WHOLE_ID.test(given)) return given;
  // Finished ones have left the state; their beginnings are in the ledger.
  const ids = new Set<string>();
  for await (const { event_type, data } of project.history()) {
    if (event_type !== (kind === "goal" ? "goal_created" : "task_added")) continue;
    const id = String(data[`${kind}_id`]);
    if (isBegunBy(id, given)) ids.add(id);
  }
  const { goals, tasks } = await project.finished([...ids]);
  const former = [...Object.values(goals).map(ofGoal), ...Object.values(tasks).map(ofTask)];
  const ofKind = former.filter(({ id }) => ids.has(id));
  return only(kind, given, ofKind.length > 0 ? ofKind : known);
}

/** Returns the only active goal, for a task that names none. Throws `bad-input` or `not-found` otherwise. */
export function onlyGoalId(state: WorkState): string {
  const active = Object.values(state.goals).filter(({ status }) => status === "active");
  return onlyOne("active goal", "--goal, because the task's goal is not the only active one", active.map(ofGoal));
}

/** Returns the only task in progress, for a checkpoint that names none. Throws `bad-input` or `not-found` otherwise. */
export function onlyTaskId(state: WorkState): string {
  const doing = Object.values(state.tasks).filter(({ status }) => status === "doing");
  return onlyOne("task in progress", "a task, because several are in progress", doing.map(ofTask));
}

function ofGoal(goal: Goal): Candidate {
  return { id: goal.goal_id, called: goalCalled(goal, READER), isOpen: !isOver(goal.status) };
}

function ofTask(task: Task): Candidate {
  return { id: task.task_id, called: taskCalled(task, READER), isOpen: task.status !== "done" };
}

function onlyOne(kind: string, expected: string, found: readonly Candidate[]): string {
  const [first] = found;
  if (first && found.length === 1) return first.id;
  throw continuityError(first ? "bad-input" : "not-found", {
    expected: first ? expected : `a ${kind}`,
    found: first ? joinNames(found) : "none",
    todo: `${first ? "Choose one" : "Name one"}. Nothing was written.`,
  });
}

function only(kind: "goal" | "task", given: string, all: readonly Candidate[]): string {
  const found = all.some(({ id }) => id === given)
    ? all.filter(({ id }) => id === given)
    : all.filter(({ id }) => given.length >= LEAST && isBegunBy(id, given));
  const [first] = found;
  if (first && found.length === 1) return first.id;
  const open = all.filter(({ isOpen }) => isOpen);
  const others = open.length === 0 ? `There is no open ${kind}.` : `Open ones: ${joinNames(open)}.`;
  throw continuityError(first || given.length < LEAST ? "bad-input" : "not-found", {
    expected: first
      ? `the beginning of one ${kind}'s id`
      : `the id of a ${kind}, or at least the first ${LEAST} characters of it`,
    found: first ? `${valueInline(given)}, with which several begin: ${joinNames(found)}` : valueInline(given),
    todo: `${first ? "Give more of it." : others} Nothing was written.`,
  });
}

function isBegunBy(id: string, given: string): boolean {
  return id.startsWith(given) || id.startsWith(given.toLowerCase());
}

function joinNames(candidates: readonly Candidate[]): string {
  return joinSome(
    candidates.map(({ called }) => called),
    MAX_NAMED,
  );
}
