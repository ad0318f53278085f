import { type ActiveWorkState, isRested, type Json, type NextStep, type ProposalRequest, type Task } from "../continuity/index.ts";

const MOST_LISTED = 20;
const ASK_FIRST = "This work has rested for long: tell the user what it was and ask whether to go on, pause or drop it before you do any of it.";

/** When work has rested too long to be gone on with unasked. */
export interface Staleness {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 24 hours by default. */
  readonly staleAfterMs?: number | undefined;
}

/** A task in a list. */
export function taskAnswer({ task_id, goal_id, title, status, depends_on }: Task): Json {
  return compact({ task_id, goal_id, title, status, depends_on });
}

/** The next step, or what to propose tasks for. */
export function nextAnswer(next: NextStep | ProposalRequest): { readonly [key: string]: Json } {
  if (next.kind === "step") return compact({ ...next });
  const { kind, goals, waiting } = next;
  return compact({ kind, goals: listed(goals.map((goal) => ({ ...goal }))), waiting: listed(waiting.map((task) => ({ ...task }))), more: surplus(goals) + surplus(waiting) });
}

/** The next step with how old the work is. */
export function nextWithAge(work: ActiveWorkState, staleness: Staleness): Json {
  return { ...nextAnswer(work.next), ...age(work, staleness) };
}

/** The open work of a project: its goals and tasks in a line each, the resume handle of the active task, what blocks, and what may have run. */
export function workAnswer(work: ActiveWorkState, staleness: Staleness): Json {
  const { goals, tasks, active_task, unresolved_blockers, open_steps, next } = work;
  return compact({
    project_id: work.project_id,
    ...age(work, staleness),
    goals: listed(goals.map(({ goal_id, text, priority }) => ({ goal_id, text, priority }))),
    tasks: listed(tasks.map(taskAnswer)),
    active_task: active_task?.task_id ?? null,
    unresolved_blockers: listed(unresolved_blockers.map((one) => ({ ...one }))),
    open_steps: listed(open_steps.map(({ step_id, attempt_id, started_at, task_id }) => compact({ step_id, attempt_id, started_at, task_id }))),
    next: nextAnswer(next),
    more: [goals, tasks, unresolved_blockers, open_steps].reduce((sum, list) => sum + surplus(list), 0),
  });
}

function age(work: ActiveWorkState, { now, staleAfterMs }: Staleness): { readonly [key: string]: Json } {
  if (work.worked_at === null) return {};
  return { last_change: work.worked_at, ...(isRested(work, now(), staleAfterMs) ? { ask_first: ASK_FIRST } : {}) };
}

/** Without what says nothing: null, an empty list, none more. */
export function compact(fields: Readonly<Record<string, Json | undefined>>): { readonly [key: string]: Json } {
  const kept = Object.entries(fields).filter(([name, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0) && !(name === "more" && value === 0));
  return Object.fromEntries(kept) as { readonly [key: string]: Json };
}

function listed(items: readonly Json[]): readonly Json[] {
  return items.slice(0, MOST_LISTED);
}

function surplus(items: readonly unknown[]): number {
  return Math.max(0, items.length - MOST_LISTED);
}
