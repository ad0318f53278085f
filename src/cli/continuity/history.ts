import type { LedgerEvent, Project } from "../../continuity/index.ts";
import { eventText, type Names, namesFor } from "../../continuity-report/index.ts";
import { listChanges } from "../../continuity/work/ended.ts";
import { fitted } from "../../doctor/printable.ts";
import { chooseProject, type ReadOptions, withContinuity } from "./base/store.ts";
import { chooseWidth, timeText } from "./base/text.ts";
import { type Outcome, runAsync } from "../run.ts";

interface HistoryOptions extends ReadOptions {
  readonly after?: number;
  readonly limit: number;
  readonly type?: string;
}

/** Width of the column that names the interface that wrote an event. */
const ENTRY_WIDTH = 8;

/** A narrower line would have no room for words behind the time. */
const LEAST_WIDTH = 80;

/** `openclaw-integrity continuity history`: prints one line for each event. */
export async function historyCommand(options: HistoryOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const project = await chooseProject(opened, options);
      const last = (await opened.store.workflow(project.workflow_id))?.last_event_seq ?? 0;
      const events = await chooseEvents(project, last, options);
      return toOutcome(project.project_id, events, last, await namesFor(project, await project.state(), events));
    }),
  );
}

/** Returns up to `limit` events of `type`: the first after `after` if that is given, otherwise the latest. */
async function chooseEvents(
  project: Project,
  last: number,
  { after, limit, type }: HistoryOptions,
): Promise<LedgerEvent[]> {
  const found: LedgerEvent[] = [];
  // With a type, the whole ledger is read to find the latest matches.
  for await (const event of project.history({ after: after ?? (type === undefined ? Math.max(0, last - limit) : 0) })) {
    if (type !== undefined && event.event_type !== type && listChanges(event).every((change) => change.type !== type))
      continue;
    found.push(event);
    if (found.length <= limit) continue;
    if (after !== undefined) return found.slice(0, limit);
    found.shift();
  }
  return found;
}

function toOutcome(project_id: string, events: readonly LedgerEvent[], total: number, names: Names): Outcome {
  const width = String(events.at(-1)?.event_seq ?? 0).length;
  const lines = events.map((event) =>
    fitted(
      `${String(event.event_seq).padStart(width)}  ${timeText(event.timestamp)}  ` +
        `${event.author.entry.padEnd(ENTRY_WIDTH)}  ${eventText(event, names)}`,
      Math.max(LEAST_WIDTH, chooseWidth()),
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
