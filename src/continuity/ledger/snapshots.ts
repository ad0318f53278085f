/** States stored beside the ledger, from which replay goes on instead of from the first event. */
import { v5 as uuidOfName } from "uuid";
import { stateChecksum } from "./checksum.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import { readLoneEvent } from "./events.ts";
import { canonicalText, sha256 } from "../base/json.ts";
import type { Position } from "./position.ts";
import { stateFault } from "../base/shapes.ts";
import type { WorkState } from "../base/state.ts";
import type { ContinuityStore, ObjectStorage, SnapshotRow } from "./store.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** When snapshots are written, and where. */
export interface SnapshotPolicy {
  /**
   * Number of events after the last snapshot that triggers the next one; 50 by default, which keeps
   * `events_replayed_per_restore` under 100.
   */
  readonly everyEvents: number;
  /** Larger states are stored in the object storage, if there is one; 64 KiB by default. */
  readonly inlineBytes: number;
  /** How many snapshots of a workflow are kept, 3 by default. The ledger keeps all events. */
  readonly keep: number;
}

export const DEFAULT_SNAPSHOTS: SnapshotPolicy = { everyEvents: 50, inlineBytes: 64 * 1024, keep: 3 };

/** UUID namespace of snapshot ids, which are made of the content, so that a changed column of the row is noticed. */
const SNAPSHOT_NAMESPACE = "6f636963-6f6e-5074-8a6e-756974790003";

/**
 * Stores the state of a position; `at` is the time of its event. An object is stored before the row that names it, and
 * the row holds `last_event_seq` beside the state, so that a snapshot is stored completely or not at all. Objects of
 * dropped snapshots are removed last.
 */
export async function writeSnapshot(
  { state, event_seq }: Position,
  {
    store,
    objects,
    policy,
    at,
    crashPoint,
  }: {
    store: ContinuityStore;
    objects: ObjectStorage | undefined;
    policy: SnapshotPolicy;
    at: string;
    crashPoint: (name: string) => void;
  },
): Promise<void> {
  crashPoint("snapshot:before");
  const { workflow_id } = state;
  const text = canonicalText(state);
  const bytes = new TextEncoder().encode(text);
  const key = objects && bytes.length > policy.inlineBytes ? objectName(workflow_id, sha256(bytes)) : null;
  if (key !== null) await objects!.put(key, bytes);
  crashPoint("snapshot:object-stored");
  const state_checksum = stateChecksum(state);
  const row = {
    snapshot_id: snapshotId(workflow_id, event_seq, state_checksum),
    workflow_id,
    step_number: state.completed_steps,
    last_event_seq: event_seq,
    state_inline: key === null ? text : null,
    state_s3_key: key,
    state_checksum,
    created_at: at,
  };
  const dropped = await store.addSnapshot(row, policy.keep);
  crashPoint("snapshot:row-stored");
  const keys = new Set(dropped.flatMap(({ state_s3_key }) => state_s3_key ?? []));
  if (!objects || keys.size === 0) return;
  // Equal states share an object, which goes with the last of them. One that cannot be removed stays and does no harm.
  for (const { state_s3_key } of await store.snapshots(workflow_id)) keys.delete(String(state_s3_key));
  for (const name of keys)
    await objects.remove(name).catch((error: unknown) => {
      if (!(error instanceof ContinuityError)) throw error;
    });
}

function snapshotId(workflow_id: string, event_seq: number, state_checksum: string): string {
  return uuidOfName(`${workflow_id}/${event_seq}/${state_checksum}`, SNAPSHOT_NAMESPACE);
}

/**
 * Returns an object's name. It is made of the content's checksum, so that a name is never written with other bytes, and
 * of the workflow, so that no two workflows share an object.
 */
export function objectName(workflow_id: string, checksum: string): string {
  return `${workflow_id}/${checksum}`;
}

/**
 * Returns the state of a snapshot after checking its checksums and columns. Throws `damaged` with the difference, and
 * `no-object-storage` for a snapshot in one that was not passed.
 */
export async function readSnapshot(
  row: SnapshotRow,
  store: ContinuityStore,
  objects: ObjectStorage | undefined,
): Promise<Position> {
  const text =
    row.state_inline ??
    (await objectText(objects, String(row.state_s3_key), {
      of: `snapshot ${row.snapshot_id} of workflow ${row.workflow_id}`,
      among: "snapshots",
    }));
  const [state, found] = parsed(text) ?? [];
  if (state === undefined)
    throw damagedSnapshot(
      row,
      `a state with checksum ${row.state_checksum}`,
      `${text.length} characters that are not a state`,
    );
  if (found !== row.state_checksum)
    throw damagedSnapshot(row, `a state with checksum ${row.state_checksum}`, `checksum ${found}`);
  const [eventRow] = await store.eventsAfter(row.workflow_id, row.last_event_seq - 1, 1);
  const event = eventRow?.event_seq === row.last_event_seq ? readLoneEvent(eventRow) : undefined;
  if (event?.state_checksum !== found)
    throw damagedSnapshot(
      row,
      `the state behind event ${row.last_event_seq}, with checksum ${event?.state_checksum ?? "unknown"}`,
      `checksum ${found}`,
    );
  const columns = {
    snapshot_id: snapshotId(row.workflow_id, row.last_event_seq, found),
    step_number: state.completed_steps,
    created_at: event.timestamp,
  };
  for (const [name, value] of Object.entries(columns)) {
    const column = row[name as keyof typeof columns];
    if (column !== value) throw damagedSnapshot(row, `${name} ${value}, as in the ledger`, String(column));
  }
  return { state, event_seq: row.last_event_seq, checksum: event.checksum };
}

function parsed(text: string): [WorkState, string] | undefined {
  try {
    const state = JSON.parse(text) as WorkState;
    return stateFault(state) === undefined ? [state, stateChecksum(state)] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of an object, whose name ends with the SHA-256 of its bytes. Throws `damaged` when the object is
 * missing or has other bytes, `no-object-storage` when no storage is configured.
 */
export async function objectText(
  objects: ObjectStorage | undefined,
  name: string,
  { of, among }: { readonly of: string; readonly among: "snapshots" | "results" },
): Promise<string> {
  if (!objects)
    throw continuityError("no-object-storage", {
      expected: `an object storage that holds ${name}`,
      found: "no object storage in the configuration",
      todo: `Open the store with the object storage that its ${among} were written to.`,
    });
  const bytes = await objects.get(name);
  const found = bytes && sha256(bytes);
  if (bytes && name.endsWith(`/${found}`)) return new TextDecoder().decode(bytes);
  throw continuityError("damaged", {
    expected: `the object ${name} of ${of} to be as it was stored`,
    found: found === undefined ? "no such object" : `bytes with checksum ${found}`,
    todo:
      "Restore the object from a backup; a snapshot can also be rebuilt with " +
      `\`${ownCommand("continuity verify", { options: ["--rebuild-snapshots"] })}\`. Nothing was executed.`,
  });
}

function damagedSnapshot(row: SnapshotRow, expected: string, found: string): Error {
  return continuityError("damaged", {
    expected: `snapshot ${row.snapshot_id} of workflow ${row.workflow_id} to hold ${expected}`,
    found,
    todo:
      "Rebuild the snapshots from an undamaged ledger with " +
      `\`${ownCommand("continuity verify", { options: ["--rebuild-snapshots"] })}\`. Nothing was executed.`,
  });
}
