/** Recorded work as the tools answer it: each entry with what a model needs to go on, and no empty field. */
import {
  type ActiveWorkState,
  type CallsOf,
  type Goal,
  isRested,
  type Json,
  type NextStep,
  type OpenStep,
  type Task,
} from "../continuity/index.ts";
import { holderText } from "../continuity/base/holder.ts";
import { copyText, isEngines } from "../continuity/decide/step-words.ts";
import type { Reading } from "./reading.ts";

/** Entries of a list in an answer. */
export const MAX_LISTED = 20;
/** Characters of an open step's input in an answer. */
const LONGEST_INPUT = 1000;
const ASK_FIRST =
  "This work has rested for long: tell the user what it was and ask whether to continue, pause or drop it before you " +
  "do any of it.";

const ENGINES = "a durable engine, which ends it: leave it alone";
const NOTHING_FREE = "Others do what can be done now. Do none of it; propose other tasks to the user, if any.";
const PROPOSE = "No task can be worked on. Propose tasks to the user, and record only what they want.";

/** Clock, and age from which the user is asked before work continues. */
export interface Staleness {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 24 hours by default. */
  readonly staleAfterMs?: number | undefined;
}

/** What the host of the tools knows beside the record. */
export interface Host {
  /** The tool calls since an attempt began, where there is a journal of them. */
  readonly calls?: CallsOf | undefined;
}

/** Returns a task as a list item. */
export function taskAnswer(
  { task_id, goal_id, title, status, depends_on, priority, due, retries, failures, author, status_author }: Task,
  reading: Reading,
): { readonly [key: string]: Json } {
  return compact({
    task_id,
    goal_id,
    title,
    status,
    depends_on,
    priority,
    due,
    retries,
    failures,
    ...reading.writtenBy({ title: author, status: status_author }),
  });
}

/** Returns a goal as a list item. */
export function goalAnswer(
  { goal_id, text, priority, author }: Pick<Goal, "goal_id" | "text" | "priority" | "author">,
  reading: Reading,
): Json {
  return { goal_id, text, priority, ...reading.writtenBy({ text: author }) };
}

/**
 * Returns what comes next for the reader: the next step; where that is blocked, the best task that can start, and what
 * waits; or the goals for which tasks may be proposed, and what others do.
 */
export function nextAnswer(
  { next, can_start, held }: Pick<ActiveWorkState, "next" | "can_start" | "held">,
  reading: Reading,
): { readonly [key: string]: Json } {
  if (next.kind === "step") {
    if (next.rule !== "blocked" || can_start === null) return nextStepAnswer(next, reading);
    const { task_id, title, blockers, authors } = next;
    const waits = {
      task_id,
      title,
      blockers,
      ...reading.writtenBy({ title: authors.task, blockers: authors.blockers }),
    };
    return { ...nextStepAnswer(can_start, reading), waits };
  }
  const { kind, goals, waiting } = next;
  return compact({
    kind,
    note: held.length === 0 ? PROPOSE : NOTHING_FREE,
    goals: listed(goals, (goal) => goalAnswer(goal, reading)),
    waiting: listed(waiting, ({ author, ...task }) => ({ ...task, ...reading.writtenBy({ title: author }) })),
    held: listed(held, heldAnswer),
    more: surplus(goals) + surplus(waiting) + surplus(held),
  });
}

function nextStepAnswer(next: NextStep, reading: Reading): { readonly [key: string]: Json } {
  const { authors, ...fields } = next;
  const { where_we_left_off, required_context_refs, acceptance_criteria } = next;
  return compact({
    ...fields,
    ...reading.writtenBy({
      title: authors.task,
      next_step: authors.next_step,
      ...(where_we_left_off === null ? {} : { where_we_left_off: authors.checkpoint }),
      ...(required_context_refs.length === 0 ? {} : { required_context_refs: authors.checkpoint }),
      ...(acceptance_criteria.length === 0 ? {} : { acceptance_criteria: authors.criteria }),
      blockers: authors.blockers,
      ...(next.failed_because === undefined ? {} : { failed_because: authors.failed_because }),
    }),
  });
}

/** Returns who does a task. */
function heldAnswer({ task_id, holder, until }: ActiveWorkState["held"][number]): Json {
  return compact({ task_id, by: holderText(holder), until });
}

/** Returns the next step, the open steps and the age of the work. */
export function nextWithAge(
  work: ActiveWorkState,
  staleness: Staleness,
  reading: Reading,
): { readonly [key: string]: Json } {
  const { open_steps } = work;
  return compact({
    ...age(work, staleness),
    ...nextAnswer(work, reading),
    open_steps: listed(open_steps, (step) => stepAnswer(step, reading)),
    more_open_steps: surplus(open_steps) || null,
  });
}

/** Returns an open step with what is needed to find out whether it acted. */
export function stepAnswer(whole: OpenStep, reading: Reading): Json {
  const { author, input_text, input_length, error, error_author = author, unknown_since, ...step } = whole;
  const { step_id, step_type, attempt_id, idempotency_key, started_at, task_id } = step;
  const input = input_text === "null" ? null : input_text;
  return compact({
    step_id,
    step_type,
    attempt_id,
    idempotency_key,
    started_at,
    task_id,
    error,
    may_have_happened_before_event: unknown_since,
    executed_by: isEngines(whole) ? ENGINES : null,
    evidence: reading.callsSince(whole),
    input: input === null || input.length <= LONGEST_INPUT ? input : `${input.slice(0, LONGEST_INPUT).toWellFormed()}…`,
    input_length: input_length ?? (input !== null && input.length > LONGEST_INPUT ? input.length : null),
    ...reading.writtenBy({
      step_id: author,
      ...(input === null ? {} : { input: author }),
      ...(error === undefined ? {} : { error: error_author }),
    }),
  });
}

/**
 * Returns the open work of a project: its goals and tasks in a line each, the resume handle of the active task,
 * blockers, and steps that may have run.
 */
export function workAnswer(
  work: ActiveWorkState,
  staleness: Staleness,
  reading: Reading,
): { readonly [key: string]: Json } {
  const { goals, tasks, active_task, unresolved_blockers, open_steps, held } = work;
  return compact({
    project_id: work.project_id,
    ...age(work, staleness),
    goals: listed(goals, (goal) => goalAnswer(goal, reading)),
    tasks: listed(tasks, (task) => taskAnswer(task, reading)),
    active_task: active_task?.task_id ?? null,
    unresolved_blockers: listed(unresolved_blockers, ({ task_id, blocker, author }) => ({
      task_id,
      blocker,
      ...reading.writtenBy({ blocker: author }),
    })),
    open_steps: listed(open_steps, (step) => stepAnswer(step, reading)),
    held: listed(held, heldAnswer),
    next: nextAnswer(work, reading),
    more: [goals, tasks, unresolved_blockers, open_steps, held].reduce((sum, list) => sum + surplus(list), 0),
  });
}

/**
 * Returns whether the work goes on from an older copy, the time of the last change, and whether the user is asked
 * first.
 */
export function age(work: ActiveWorkState, { now, staleAfterMs }: Staleness): { readonly [key: string]: Json } {
  const copy: { readonly [key: string]: Json } = work.unknown_since ? { older_copy: copyText(work.unknown_since) } : {};
  if (work.worked_at === null) return copy;
  return {
    ...copy,
    last_change: work.worked_at,
    ...(isRested(work, now(), staleAfterMs) ? { ask_first: ASK_FIRST } : {}),
  };
}

/** Removes fields without information: undefined, null, an empty list, and `more: 0`. */
export function compact(fields: Readonly<Record<string, Json | undefined>>): { readonly [key: string]: Json } {
  const kept = Object.entries(fields).filter(
    ([name, value]) =>
      value !== undefined &&
      value !== null &&
      !(Array.isArray(value) && value.length === 0) &&
      !(name === "more" && value === 0),
  );
  return Object.fromEntries(kept) as { readonly [key: string]: Json };
}

/** Returns a page of a list, and how many entries come after it. */
export function paged<Item>(
  items: readonly Item[],
  offset: number,
  answer: (item: Item) => Json,
): { readonly list: readonly Json[]; readonly more: number } {
  return { list: listed(items.slice(offset), answer), more: Math.max(0, items.length - offset - MAX_LISTED) };
}

function listed<Item>(items: readonly Item[], answer: (item: Item) => Json): readonly Json[] {
  return items.slice(0, MAX_LISTED).map(answer);
}

function surplus(items: readonly unknown[]): number {
  return Math.max(0, items.length - MAX_LISTED);
}
