import type { GoalStatus, Json, LedgerEvent, Project, Task, WorkState } from "../continuity/index.ts";
import { isOver } from "../continuity/base/state.ts";
import { continuityError } from "../continuity/base/errors.ts";
import { ownEntry } from "../continuity/decide/find.ts";
import type { LastForm } from "../continuity/decide/finished.ts";
import { type Change, listChanges } from "../continuity/work/ended.ts";
import { valueInline } from "../base/quoted.ts";
import { compact, MAX_LISTED } from "./answers.ts";
import type { Reading } from "./reading.ts";

type Answer = { readonly [key: string]: Json };

/** How many events are read for one answer. */
const FURTHEST = 2000;
/** Characters of a recorded text in a list of changes. */
const LONGEST_WORDS = 200;

/** Events that keep a right to work, and change no work. */
const NO_WORK = /^(?:lease_|claims_renewed$|claim_ends_told$)/;

/** An entry of the list of what is done. */
interface Done {
  readonly task_id?: string;
  readonly goal_id?: string;
  readonly status: string;
  readonly at: string;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly why?: string | undefined;
  readonly written_by: Parameters<Reading["writtenBy"]>[0];
}

/**
 * Returns the tasks that were completed or dropped and the goals that were closed, newest first. One that was taken up
 * again is not among them.
 */
export async function doneView(
  project: Project,
  { state, since, offset }: { readonly state: WorkState; readonly since: string | undefined; readonly offset: number },
  reading: Reading,
): Promise<Answer> {
  const seen = new Set<unknown>();
  const take = (change: Change): Done | undefined => {
    const { data, type, at } = change;
    const last = data["last"] as LastForm | undefined;
    const end = readEnd(change);
    const id = data["task_id"] ?? data["goal_id"];
    if (end === null || seen.has(id)) return undefined;
    seen.add(id);
    if (end === undefined) return undefined;
    if (type === "goal_status_changed") {
      const goal = ownEntry(state.goals, String(id)) ?? last?.goal;
      const why = data["reason"] as string | undefined;
      return {
        goal_id: String(id),
        status: end,
        at,
        text: goal?.text,
        why: why?.slice(0, LONGEST_WORDS).toWellFormed(),
        written_by: { text: goal?.author, ...(why === undefined ? {} : { why: change.author }) },
      };
    }
    const task = ownEntry(state.tasks, String(id)) ?? last?.task ?? (data["task"] as Task | undefined);
    const why = (data["reason"] ?? data["evidence"]) as string | undefined;
    return {
      task_id: String(id),
      status: end,
      at,
      title: task?.title,
      why: why?.slice(0, LONGEST_WORDS).toWellFormed(),
      written_by: { title: task?.author, ...(why === undefined ? {} : { why: change.author }) },
    };
  };
  const { list, hasMore, searched_to } = await collected(project.recent(), offset, take, after(since));
  return {
    done: list.map(({ written_by, ...rest }) => compact({ ...rest, ...reading.writtenBy(written_by) })),
    ...compact({ more: hasMore || null, searched_to }),
  };
}

/** Returns the changes of work after an event or a time, newest first; without `since` the latest ones. */
export async function changesView(
  project: Project,
  { since, offset }: { readonly since: string | undefined; readonly offset: number },
  reading: Reading,
): Promise<Answer> {
  const isAfter = after(since);
  const seq = await project.position();
  const { list, hasMore, searched_to } = await collected(project.recent(), offset, (change) => change, isAfter);
  const changes = list.map(({ seq: place, at, type, data, author }) => {
    const [field, words] = tellChange(data);
    return compact({
      seq: place,
      at,
      what: type,
      ...ids(data),
      ...(field === undefined ? {} : { [field]: words }),
      ...reading.writtenBy({ [field ?? "what"]: author }),
    });
  });
  return { seq, changes, ...compact({ more: hasMore || null, searched_to }) };
}

/**
 * Returns the last form of a goal or task that was completed after a time (ms since 1970) and that `isSame` recognises,
 * and when that was; undefined when there is none among the latest events.
 */
export async function completedAfter(
  project: Project,
  time: number,
  isSame: (last: LastForm) => boolean,
): Promise<(LastForm & { readonly at: string }) | undefined> {
  let searched = 0;
  for await (const event of project.recent()) {
    if (Date.parse(event.timestamp) < time || searched++ >= FURTHEST) return undefined;
    for (const change of listChanges(event)) {
      const last = change.data["last"] as LastForm | undefined;
      if (last !== undefined && readEnd(change) === "done" && isSame(last)) return { ...last, at: change.at };
    }
  }
  return undefined;
}

/** Returns how a change ends a goal or task; undefined when it begins or continues, null when it is of neither. */
function readEnd({ type, data }: Change): string | undefined | null {
  if (type === "task_completed") return "done";
  if (type === "task_dropped") return "dropped";
  if (type === "goal_status_changed") return isOver(data["to"] as GoalStatus) ? String(data["to"]) : undefined;
  return type === "task_started" ? undefined : null;
}

/** Collects a page of what `take` returns for changes of work, newest first, as long as `isWanted`. */
async function collected<Item>(
  newest: AsyncIterable<LedgerEvent>,
  offset: number,
  take: (change: Change) => Item | undefined,
  isWanted: (event: LedgerEvent) => boolean = () => true,
): Promise<{ readonly list: readonly Item[]; readonly hasMore: boolean; readonly searched_to: number | null }> {
  const list: Item[] = [];
  let [searched, found] = [0, 0];
  for await (const event of newest) {
    if (!isWanted(event)) break;
    if (searched++ >= FURTHEST) return { list, hasMore: true, searched_to: event.event_seq + 1 };
    if (NO_WORK.test(event.event_type)) continue;
    for (const change of listChanges(event)) {
      const item = take(change);
      if (item === undefined || found++ < offset) continue;
      if (list.length === MAX_LISTED) return { list, hasMore: true, searched_to: null };
      list.push(item);
    }
  }
  return { list, hasMore: false, searched_to: null };
}

/** Returns whether an event is after a number or a time. Throws `bad-input` for anything else. */
function after(since: string | undefined): (event: LedgerEvent) => boolean {
  if (since === undefined) return () => true;
  if (/^\d{1,15}$/.test(since)) return ({ event_seq }) => event_seq > Number(since);
  const time = Date.parse(since);
  if (Number.isNaN(time))
    throw continuityError("bad-input", {
      expected: "since to be the seq of an earlier answer, or an ISO time as 2026-11-20T10:00:00Z",
      found: valueInline(since),
      todo: "Nothing was read.",
    });
  return ({ timestamp }) => Date.parse(timestamp) > time;
}

const WORDS = ["title", "text", "next_step", "reason", "evidence", "pause_reason", "error", "outcome"] as const;

/** Returns the words that tell most of a change, and what they are. */
function tellChange(data: Change["data"]): readonly [string, string] | readonly [] {
  const [blocker] = Array.isArray(data["blockers"]) ? (data["blockers"] as unknown[]) : [];
  if (typeof blocker === "string" && data["to"] === "blocked") return ["blocker", cut(blocker)];
  for (const name of WORDS) {
    const words = data[name];
    if (typeof words === "string") return [name, cut(words)];
  }
  return [];
}

function cut(text: string): string {
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS).toWellFormed()}…` : text;
}

function ids(data: Change["data"]): Readonly<Record<string, Json | undefined>> {
  const { task_id, goal_id, step_id, attempt_id, to } = data as Readonly<Record<string, Json | undefined>>;
  return { task_id, goal_id: task_id === undefined ? goal_id : undefined, step_id, attempt_id, status: to };
}
