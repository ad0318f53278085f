import type { LedgerEvent, Project, WorkState } from "../../continuity/index.ts";
import { fitted, printable } from "../../doctor/printable.ts";
import { projectOf, type ReadOptions, withContinuity } from "./store.ts";
import { columnsOf, timeText } from "./text.ts";
import { type Outcome, runAsync } from "../run.ts";

interface HistoryOptions extends ReadOptions {
  readonly after?: number;
  readonly limit: number;
  readonly type?: string;
}

/** Width of the column that names the interface that wrote an event. */
const ENTRY_WIDTH = 8;

/** `openclaw-integrity continuity history`: prints one line for each event. */
export async function historyCommand(options: HistoryOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const project = await projectOf(opened, options);
      const last = (await opened.store.workflow(project.workflow_id))?.last_event_seq ?? 0;
      return outcomeOf(project.project_id, await eventsOf(project, last, options), last, await project.state());
    }),
  );
}

/** Returns up to `limit` events of `type`: the first after `after` if that is given, otherwise the latest. */
async function eventsOf(
  project: Project,
  last: number,
  { after, limit, type }: HistoryOptions,
): Promise<LedgerEvent[]> {
  const found: LedgerEvent[] = [];
  // With a type, the whole ledger is read to find the latest matches.
  for await (const event of project.history({ after: after ?? (type === undefined ? Math.max(0, last - limit) : 0) })) {
    if (type !== undefined && event.event_type !== type) continue;
    found.push(event);
    if (found.length <= limit) continue;
    if (after !== undefined) return found.slice(0, limit);
    found.shift();
  }
  return found;
}

function outcomeOf(project_id: string, events: readonly LedgerEvent[], total: number, state: WorkState): Outcome {
  const width = String(events.at(-1)?.event_seq ?? 0).length;
  const lines = events.map((event) =>
    fitted(
      `${String(event.event_seq).padStart(width)}  ${timeText(event.timestamp)}  ` +
        `${(event.author?.entry ?? "-").padEnd(ENTRY_WIDTH)}  ${sentence(event, state)}`,
      columnsOf(),
    ).trimEnd(),
  );
  return {
    data: {
      project_id,
      events: events.map(({ event_seq, event_id, event_type, timestamp, author = null, data, checksum }) => ({
        event_seq,
        event_id,
        event_type,
        timestamp,
        author,
        data,
        checksum,
      })),
      total,
    },
    lines: lines.length === 0 ? ["no events"] : lines,
  };
}

/** Describes an event in a few words, with the current names of its ids. */
function sentence({ event_type, data }: LedgerEvent, state: WorkState): string {
  const text = (name: string): string => printable(data[name] ?? "", 200);
  const task = printable(state.tasks[String(data["task_id"])]?.title ?? data["task_id"] ?? "", 200);
  const goal = printable(state.goals[String(data["goal_id"])]?.text ?? data["goal_id"] ?? "", 200);
  const because = (name: string): string => (data[name] ? `: ${text(name)}` : "");
  switch (event_type) {
    case "goal_created":
      return `goal created: ${text("text")}`;
    case "goal_status_changed":
      return `goal ${text("to")}: ${goal}`;
    case "task_added":
      return `task added: ${text("title")}`;
    case "task_started":
      return `started: ${task}`;
    case "task_paused":
      return `paused: ${task}${because("pause_reason")}`;
    case "task_blocked":
      return `blocked: ${task}: ${printable(Array.isArray(data["blockers"]) ? data["blockers"].join("; ") : "", 200)}`;
    case "task_completed":
      return `done: ${task}${because("evidence")}`;
    case "checkpoint_updated":
      return `next: ${text("next_step")} (${task})`;
    case "step_started":
      return `step started: ${text("step_id")}, attempt ${text("attempt_id")}`;
    case "step_completed":
      return `step completed: ${text("step_id")}, attempt ${text("attempt_id")}`;
    case "step_failed":
      return `step failed: ${text("step_id")}, attempt ${text("attempt_id")}${because("error")}`;
    case "step_resolved":
      return `step resolved: ${text("step_id")}, attempt ${text("attempt_id")}: ${text("outcome")}${because("reason")}`;
    case "lease_acquired":
      return `lease ${text("fencing_token")} to ${text("owner_id")}`;
    case "lease_released":
      return `lease ${text("fencing_token")} released`;
    case "project_restored":
      return `${data["from"] === "copy" ? "older copy accepted" : "restored from a backup"}, at event ${text("event_seq")}${because("reason")}`;
    case "project_forked":
      return `forked from ${forkedFrom(data["source"])}`;
  }
}

function forkedFrom(source: unknown): string {
  const { project_id, event_seq } = (source ?? {}) as { readonly project_id?: unknown; readonly event_seq?: unknown };
  return `${printable(String(project_id), 200)}, event ${printable(String(event_seq), 20)}`;
}
