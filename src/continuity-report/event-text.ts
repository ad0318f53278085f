import { joinSome } from "../base/join-some.ts";
import { authorText, type Holder, type LedgerEvent, type Project, type WorkState } from "../continuity/index.ts";
import { type Change, listChanges } from "../continuity/work/ended.ts";
import { printable } from "../doctor/printable.ts";

/** Characters of a recorded text in an event's line. */
const LONGEST = 200;
const MAX_NAMED = 5;

/** The texts of goals and tasks by their ids. */
export type Names = ReadonlyMap<string, string>;

/**
 * Returns the current or last names of the goals and tasks that events are about. Throws a ContinuityError.
 */
export async function namesFor(
  project: Pick<Project, "finished">,
  state: Pick<WorkState, "goals" | "tasks">,
  events: readonly LedgerEvent[],
): Promise<Names> {
  const ids = events.flatMap(({ data }) => [data["goal_id"], data["task_id"]].filter((id) => typeof id === "string"));
  const gone = await project.finished([...new Set(ids)]);
  const names = new Map<string, string>();
  for (const { data } of events) {
    const dropped = data["task"] as { readonly task_id: string; readonly title: string } | undefined;
    if (dropped) names.set(dropped.task_id, dropped.title);
  }
  for (const { goal_id, text } of [...Object.values(gone.goals), ...Object.values(state.goals)])
    names.set(goal_id, text);
  for (const { task_id, title } of [...Object.values(gone.tasks), ...Object.values(state.tasks)])
    names.set(task_id, title);
  return names;
}

/** Describes an event in a few words on one line; one with several changes by all of them. */
export function eventText(event: LedgerEvent, names: Names): string {
  return listChanges(event)
    .toReversed()
    .map((change) => changeText(change, names))
    .join("; ");
}

function changeText({ type, data }: Change, names: Names): string {
  const text = (name: string): string => printable(data[name] ?? "", LONGEST);
  const called = (name: string): string =>
    printable(names.get(String(data[name])) ?? data["title"] ?? data[name] ?? "", LONGEST);
  const because = (name: string): string => (data[name] ? `: ${text(name)}` : "");
  const tasks = (): string => {
    const ids = Array.isArray(data["task_ids"]) ? (data["task_ids"] as readonly unknown[]) : [];
    return joinSome(
      ids.map((id) => printable(names.get(String(id)) ?? id, LONGEST)),
      MAX_NAMED,
    );
  };
  const attempt = `${text("step_id")}, attempt ${text("attempt_id")}`;
  switch (type) {
    case "goal_created":
      return `goal created: ${text("text")}`;
    case "goal_status_changed":
      return `goal ${text("to")}: ${called("goal_id")}${because("reason")}`;
    case "task_added":
      return `task added: ${text("title")}`;
    case "task_started":
      return `started: ${called("task_id")}`;
    case "task_paused":
      return `paused: ${called("task_id")}${because("pause_reason")}`;
    case "task_blocked":
      return (
        `blocked: ${called("task_id")}: ` +
        `${printable(Array.isArray(data["blockers"]) ? data["blockers"].join("; ") : "", LONGEST)}`
      );
    case "task_failed":
      return `failed (${text("failures")}): ${called("task_id")}${because("reason")}`;
    case "task_completed":
      return `done: ${called("task_id")}${because("evidence")}`;
    case "task_dropped":
      return `dropped: ${called("task_id")}${because("reason")}`;
    case "task_edited":
    case "task_updated":
      return `edited: ${called("task_id")}${because("reason")}`;
    case "goal_edited":
    case "goal_updated":
      return `edited: ${called("goal_id")}`;
    case "task_claimed":
      return `taken: ${called("task_id")}`;
    case "claim_given":
      return `given to ${describeHolder(data["holder"])}: ${called("task_id")}`;
    case "claim_released":
      return `free for any agent: ${called("task_id")}`;
    case "claims_renewed":
      return `still in work: ${tasks()}`;
    case "claim_ends_told":
      return `told of the end of a claim: ${tasks()}`;
    case "checkpoint_updated":
      return `next: ${text("next_step")} (${called("task_id")})`;
    case "step_started":
      return `step started: ${attempt}`;
    case "step_completed":
      return `step completed: ${attempt}`;
    case "step_failed":
      return `step failed: ${attempt}${because("error")}`;
    case "step_resolved":
      return `step resolved: ${attempt}: ${text("outcome")}${because("reason")}`;
    case "project_restored":
      return `restored from a backup, at event ${text("event_seq")}`;
    case "copy_confirmed":
      return `copy of event ${text("event_seq")} confirmed${because("reason")}`;
    case "lease_acquired":
      return `lease ${text("fencing_token")} to ${text("owner_id")}`;
    case "lease_released":
      return `lease ${text("fencing_token")} released`;
  }
}

/** Events are data: whoever can write the database can put anything there. */
function describeHolder(holder: unknown): string {
  const author = (holder as Partial<Holder> | null)?.author;
  return author === undefined ? "nobody" : authorText(author);
}
