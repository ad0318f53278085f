import { randomUUID } from "node:crypto";
import { Continuity, computeDelta, type EventRow, stateChecksum } from "../../../src/continuity/index.ts";
import { PROGRAM } from "../../../src/continuity/base/author.ts";
import { NOTHING_FINISHED } from "../../../src/continuity/decide/finished.ts";
import { updateCheckpoint } from "../../../src/continuity/decide/checkpoints.ts";
import { isoTime } from "../../../src/continuity/ledger/environment.ts";
import { eventRow, makePayload, SCHEMA_VERSION } from "../../../src/continuity/ledger/events.ts";
import { restore } from "../../../src/continuity/ledger/replay.ts";
import type { Position } from "../../../src/continuity/ledger/position.ts";
import { PRODUCER_VERSION } from "../../../src/continuity/base/version.ts";
import { measurePair, type Pair } from "./pairs.ts";
import type { Subject } from "./stores.ts";

const SHORT = 200;
/** Both end as far behind their snapshot. */
const SNAPSHOT_EVERY = 50;
const SIZE = { rounds: 15, calls: 5 } as const;
const BATCH = 2000;

/** Restore of a workflow with that many events against one with 200. */
export async function measureLong({ name, store, bare }: Subject, events: number): Promise<Pair> {
  const [long, short] = [
    await fillWorkflow({ store, bare }, `long-${events}`, events),
    await fillWorkflow({ store, bare }, "short", SHORT),
  ];
  const run = (workflow_id: string) => async (): Promise<unknown> =>
    restore(store, (await store.workflow(workflow_id))!, undefined);
  return await measurePair(
    `restore, ${events.toLocaleString("en-US")} events against ${SHORT}`,
    name,
    run(long),
    run(short),
    SIZE,
  );
}

/**
 * A workflow with that many whole events: the kernel's own commands, deltas and checksums, written in bulk; the last by
 * the kernel itself.
 */
async function fillWorkflow(
  { store, bare }: Pick<Subject, "store" | "bare">,
  name: string,
  events: number,
): Promise<string> {
  const continuity = new Continuity({ store, snapshots: { everyEvents: SNAPSHOT_EVERY } });
  const project = await continuity.project(name);
  const { workflow_id } = project;
  const { goal_id } = await project.createGoal({ text: "Everything is done" });
  const { task_id } = await project.addTask({ goal_id, title: "One after the other" });
  let position: Position = await restore(store, (await store.workflow(workflow_id))!, undefined);
  // The kernel writes the rest, so that the last snapshot and the tail are its own.
  const byKernel = SNAPSHOT_EVERY + SNAPSHOT_EVERY / 2;
  while (position.event_seq < events - byKernel) {
    const rows: EventRow[] = [];
    while (rows.length < BATCH && position.event_seq < events - byKernel) {
      const made = nextEvent(position, workflow_id, task_id);
      rows.push(made.row);
      position = made.position;
    }
    await bare.writeMany(rows);
  }
  await bare.setHead(workflow_id, position.event_seq, position.checksum!);
  const later = await new Continuity({ store, snapshots: { everyEvents: SNAPSHOT_EVERY } }).project(name);
  for (let seq = position.event_seq; seq < events; seq++)
    await later.updateCheckpoint({ task_id, ...makeTexts(seq + 1) });
  return workflow_id;
}

function nextEvent(
  before: Position,
  workflow_id: string,
  task_id: string,
): { readonly row: EventRow; readonly position: Position } {
  const event_seq = before.event_seq + 1;
  const timestamp = isoTime(Date.UTC(2026, 0, 1) + event_seq);
  const decision = updateCheckpoint({ task_id, ...makeTexts(event_seq) })(before.state, {
    seq: event_seq,
    at: timestamp,
    author: PROGRAM,
    finished: NOTHING_FINISHED,
    clock: Date.parse(timestamp),
  });
  const row = eventRow(
    makePayload(decision, computeDelta(before.state, decision.state), {
      event_id: randomUUID(),
      workflow_id,
      event_seq,
      timestamp,
      schema_version: SCHEMA_VERSION,
      producer_version: PRODUCER_VERSION,
      author: PROGRAM,
      previous: before.checksum,
      command: "0".repeat(64),
      state_checksum: stateChecksum(decision.state),
    }),
  );
  return { row, position: { state: decision.state, event_seq, checksum: row.checksum } };
}

function makeTexts(seq: number): { readonly where_we_left_off: string; readonly next_step: string } {
  return { where_we_left_off: `Item ${seq} is done.`, next_step: `Do item ${seq + 1}.` };
}
