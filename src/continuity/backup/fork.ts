import { v5 as uuidOfName } from "uuid";
import { nameInline, valueInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import { forkProject } from "../decide/copies.ts";
import { openAttempts, stepsOf } from "../decide/open-attempts.ts";
import type { Command } from "../decide/decision.ts";
import { baseEvent, baseOf } from "../ledger/base.ts";
import { stateChecksum } from "../ledger/checksum.ts";
import { applyDelta } from "../ledger/delta.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { eventRow, type LedgerEvent } from "../ledger/events.ts";
import { nextEvent } from "../ledger/next-event.ts";
import { assertNotOlder } from "../ledger/older-copy.ts";
import type { Position } from "../ledger/position.ts";
import { KeptDigest, pruneLedger } from "../ledger/pruned.ts";
import { objectName, snapshotRow } from "../ledger/snapshots.ts";
import type { ObjectStorage, ProjectReader, WorkflowRow } from "../ledger/store.ts";
import { assertProjectId, workflowId } from "../base/workflow-id.ts";
import { completionOf } from "../steps/step-record.ts";
import { objectOf } from "../steps/results.ts";
import { type CheckedEvent, checkedEvents, type Extent } from "./checked-events.ts";
import { endedLease, projectRows, type WrittenEvent } from "./project-rows.ts";

/** Options of a fork. */
export interface ForkOptions {
  /** The project that is forked; it is not changed. */
  readonly from: string;
  /** The name of the new project. */
  readonly to: string;
  /** The last event that is taken over; the last one of the project by default. */
  readonly at?: number | undefined;
}

/** The outcome of a fork. */
export interface Fork {
  readonly project_id: string;
  readonly workflow_id: string;
  /** The position in the source from which it goes on. */
  readonly at: number;
  /** The last event of the new ledger, `project_forked`. */
  readonly event_seq: number;
  readonly checksum: string;
  /** Steps that are open in the fork; the source may complete them, and so may the fork. */
  readonly open_steps: readonly string[];
}

type Context = Pick<Environment, "store" | "objects" | "snapshots" | "now" | "producer_version" | "crashPoint">;

/**
 * Makes a new project of the events of another one up to a position: the same events with the new identity, and one that
 * names the source. A pruned source gives a pruned fork, with one more event that says so. In one transaction. Throws
 * `not-found`, `project-exists`, `bad-input` for a position that the source does not have, and `damaged`.
 */
export async function forkFrom(context: Context, author: Author, { from, to, at }: ForkOptions): Promise<Fork> {
  const { store } = context;
  assertProjectId(from);
  assertProjectId(to);
  const source = await store.workflow(workflowId(from));
  if (!source)
    throw continuityError("not-found", {
      expected: `the project ${nameInline(from)}`,
      found: "none of that name",
      todo: "Name one that is there. Nothing was written.",
    });
  await assertNotOlder(store, source);
  const until = positionOf(source, at);
  const workflow = { project_id: to, workflow_id: workflowId(to) };
  if (((await store.workflow(workflow.workflow_id))?.last_event_seq ?? 0) > 0) throw isThere(to);
  await assertNotOlder(store, workflow);
  try {
    return await forked(context, author, { source, until, workflow, created_at: isoTime(context.now()) });
  } catch (error) {
    const now = await store.workflow(source.workflow_id);
    if (!now || now.base_event_seq === source.base_event_seq) throw error;
    // The source was pruned meanwhile.
    return forkFrom(context, author, { from, to, at });
  }
}

async function forked(context: Context, author: Author, copying: Copying): Promise<Fork> {
  const { store, objects, snapshots } = context;
  const { source, until, workflow, created_at } = copying;
  const base = await baseOf(store, source, objects);
  // Which events were kept is said at the end of the source.
  if (base.event_seq > 0 && until.checksum === undefined) await readToEnd(store, source, base);
  const start: Position = { ...base, state: { ...base.state, ...workflow } };
  // Before the rows that name them, and outside of the transaction, which must not wait for a storage.
  if (objects) await copyObjects(context, objects, { base, until }, workflow.workflow_id);
  const snapshot =
    base.event_seq === 0
      ? undefined
      : await snapshotRow(start, {
          objects,
          inlineBytes: snapshots.inlineBytes,
          at: (await baseEvent(store, base)).timestamp,
        });
  let end = start;
  const rows = (reader: ProjectReader): ReturnType<typeof projectRows> =>
    projectRows(
      eventsOf(reader, context, author, { ...copying, base }, (position) => (end = position)),
      () => endedLease(end.state, created_at),
      snapshot,
    );
  if ((await store.createProject({ ...workflow, created_at }, rows)) === "exists") throw isThere(workflow.project_id);
  context.crashPoint("project:committed");
  const { state, event_seq, checksum } = end;
  const entry = {
    workflow_id: workflow.workflow_id,
    event_seq,
    checksum: checksum!,
    fencing_token: state.lease.fencing_token,
  };
  store.anchor?.advance(entry, "at once");
  return {
    ...workflow,
    at: until.event_seq,
    event_seq,
    checksum: checksum!,
    open_steps: stepsOf(openAttempts(state)),
  };
}

function positionOf(
  { project_id, last_event_seq, head_checksum, base_event_seq }: WorkflowRow,
  at: number | undefined,
): { readonly event_seq: number; readonly checksum?: string | null } {
  if (at === undefined && last_event_seq > 0) return { event_seq: last_event_seq, checksum: head_checksum };
  const first = Math.max(base_event_seq, 1);
  if (at !== undefined && Number.isSafeInteger(at) && at >= first && at <= last_event_seq) return { event_seq: at };
  throw continuityError("bad-input", {
    expected:
      `a position from ${first}${base_event_seq > 0 ? ", behind which no event was pruned," : ""} to ${last_event_seq}, ` +
      `the last event of project ${nameInline(project_id)}`,
    found: at === undefined ? "no event" : valueInline(at),
    todo: "Nothing was written.",
  });
}

function isThere(project_id: string): Error {
  return continuityError("project-exists", {
    expected: `no project ${nameInline(project_id)} yet`,
    found: "one with events",
    todo: "Choose another name. Nothing was written.",
  });
}

interface Copying {
  readonly source: WorkflowRow;
  readonly until: { readonly event_seq: number; readonly checksum?: string | null };
  readonly workflow: Pick<WorkflowRow, "workflow_id" | "project_id">;
  readonly created_at: string;
}

async function* eventsOf(
  reader: ProjectReader,
  { objects, producer_version, crashPoint }: Context,
  author: Author,
  { source, until, workflow, created_at, base }: Copying & { readonly base: Position },
  reached: (position: Position) => void,
): AsyncGenerator<WrittenEvent> {
  let position: Position = { state: { ...base.state, ...workflow }, event_seq: 0, checksum: null };
  let [checksum, base_checksum] = ["", ""];
  const kept = new KeptDigest();
  for await (const checked of checkedEvents(reader, objects, { base, until, withObjects: false })) {
    const written = rewritten(checked, position, base);
    ({ position } = written);
    ({ checksum } = checked.event);
    if (position.event_seq < base.event_seq) kept.add(written.event);
    if (position.event_seq === base.event_seq) base_checksum = written.event.checksum;
    yield written;
  }
  crashPoint("fork:events-written");
  const { project_id, workflow_id } = source;
  const next = (name: string, command: Command): LedgerEvent => {
    const event_id = idFor(workflow.workflow_id, `${name}/${checksum}`);
    const one = nextEvent(position, command, { event_id, at: created_at, author, producer_version });
    ({ position } = one);
    return one.event;
  };
  if (base.event_seq > 0) {
    const removed = base.event_seq - 1 - kept.count;
    const said = {
      base_event_seq: base.event_seq,
      base_checksum,
      removed,
      kept: kept.count,
      kept_checksum: kept.checksum,
    };
    yield { event: next("pruned", pruneLedger(said)) };
  }
  const last = next("forked", forkProject({ project_id, workflow_id, event_seq: until.event_seq, checksum }));
  reached(position);
  yield { event: last };
}

/**
 * Returns the same event for another ledger: with its identity, its chain, and the checksum of its state. Kept events of a
 * pruned ledger follow one another; the checksum of their states stays, because those states are gone.
 */
function rewritten({ event, result }: CheckedEvent, before: Position, base: Position): CheckedEvent {
  const { checksum: _, ...payload } = event;
  const { event_seq } = event;
  const { workflow_id } = before.state;
  const state = event_seq <= base.event_seq ? before.state : applyDelta(before.state, event.delta);
  const ref = payload.data["result_ref"];
  const isObject = typeof ref === "string" && objectOf(ref) !== undefined;
  const result_ref = isObject ? `object:${objectName(workflow_id, String(payload.data["result_checksum"]))}` : ref;
  const own = {
    ...payload,
    event_id: idFor(workflow_id, event.event_id),
    workflow_id,
    previous: before.checksum,
    data: isObject ? { ...payload.data, result_ref } : payload.data,
    state_checksum: event_seq < base.event_seq ? event.state_checksum : stateChecksum(state),
  };
  const { checksum } = eventRow(own);
  return { event: { ...own, checksum }, position: { state, event_seq, checksum }, result };
}

/** Checks all events of a pruned project. */
async function readToEnd(
  store: ProjectReader,
  { last_event_seq, head_checksum }: WorkflowRow,
  base: Position,
): Promise<void> {
  const until = { event_seq: last_event_seq, checksum: head_checksum };
  for await (const _ of checkedEvents(store, undefined, { base, until, withObjects: false }));
}

/** Puts the results of the source that are objects under the names that they have in the fork. */
async function copyObjects(
  { store }: Context,
  objects: ObjectStorage,
  extent: Extent,
  workflow_id: string,
): Promise<void> {
  for await (const { event, result } of checkedEvents(store, objects, extent)) {
    const completion = completionOf(event);
    if (completion && objectOf(completion.result_snapshot_ref) !== undefined)
      await objects.put(objectName(workflow_id, completion.result_checksum), new TextEncoder().encode(result));
  }
}

/** Returns the id of an event in the fork: a repetition after a kill makes the same. */
function idFor(workflow_id: string, name: string): string {
  return uuidOfName(name, workflow_id);
}
