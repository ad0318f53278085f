/** The statements of a commit, the same in both databases. `?` stands for each value. */
import type { Commit, CommitOutcome, LeaseClock, LeaseRow } from "../../ledger/store.ts";
import { toStore } from "./event-payload.ts";
import { AHEAD, NOW } from "./lease-rows.ts";

type Value = string | number | null;

/** What the databases write differently. */
export interface Words {
  /** Stands before the name of each table. */
  readonly schema: string;
  /** The operator that compares values, null among them. */
  readonly isSame: string;
  readonly leaseClock: LeaseClock;
}

/** A statement, whose row is given as values, or once for each row of another statement. */
export interface Statement {
  readonly name: string;
  readonly begin: string;
  /** The expressions of a row that is inserted. */
  readonly cells?: string;
  readonly end?: string;
  readonly values: readonly Value[];
  /** What the commit comes to where the statement changes no row: nothing of it is written then. */
  readonly otherwise?: CommitOutcome;
}

/** Returns the text of a statement; with `from`, it inserts its row if that has one. */
export function formatStatement({ begin, cells, end = "" }: Statement, from?: string): string {
  if (cells === undefined) return begin + end;
  return `${begin} ${from === undefined ? `VALUES (${cells})` : `SELECT ${cells} FROM ${from}`}${end}`;
}

/**
 * Returns the statements that write a commit, in their order. The first one allocates the position and locks the row of
 * the workflow: whoever comes second finds no row.
 */
export function commitStatements(
  { event, acquire, takeOverFrom, release, attempt, result, completion }: Commit,
  words: Words,
): readonly Statement[] {
  const { workflow_id, event_seq, event_id, checksum } = event;
  const { payload, previous } = toStore(event);
  const insert = (name: string, table: string, row: object, end?: string): Statement => {
    const cells = new Map(Object.entries(row) as [string, Value][]);
    // In one order, whoever made the row: a prepared statement of one name has one text.
    const columns = [...cells.keys()].toSorted();
    return {
      name,
      begin: `INSERT INTO ${words.schema}${table} (${columns.join(", ")})`,
      cells: columns.map(() => "?").join(", "),
      values: columns.map((column) => cells.get(column)!),
      ...(end === undefined ? {} : { end }),
    };
  };
  return [
    {
      name: "head",
      begin:
        `UPDATE ${words.schema}workflows SET last_event_seq = ?, head_checksum = ? ` +
        `WHERE workflow_id = ? AND last_event_seq = ? AND head_checksum ${words.isSame} ? ` +
        `AND NOT EXISTS (SELECT 1 FROM ${words.schema}events WHERE event_id = ?)`,
      values: [event_seq, checksum, workflow_id, event_seq - 1, previous, event_id],
      otherwise: "stale",
    },
    insert("event", "events", { ...event, payload }),
    ...(acquire ? [acquiring(acquire, takeOverFrom, words)] : []),
    ...(release ? [releasing({ ...release, workflow_id }, words)] : []),
    ...(attempt ? [insert("attempt", "step_attempts", attempt)] : []),
    ...(result ? [insert("result", "step_results", result, " ON CONFLICT DO NOTHING")] : []),
    ...(completion ? [insert("completion", "completed_steps", completion)] : []),
  ];
}

/**
 * Gives the lease to one owner; one statement, so that of two only one gets it. The row stays, with a token that only
 * grows, until the project is removed.
 */
function acquiring(lease: LeaseRow, takeOverFrom: string | undefined, { schema, leaseClock }: Words): Statement {
  const { workflow_id, owner_id, fencing_token, acquired_at, heartbeat_at, lease_expires_at } = lease;
  const isDatabases = leaseClock === "database";
  const milliseconds = Date.parse(lease_expires_at) - Date.parse(acquired_at);
  const times = ["acquired_at", "heartbeat_at", "lease_expires_at"];
  const columns = ["owner_id", "fencing_token", ...times];
  return {
    name: "acquire",
    begin: `INSERT INTO ${schema}workflow_leases (workflow_id, ${columns.join(", ")})`,
    cells: `?, ?, ?, ${isDatabases ? `${NOW}, ${NOW}, ${AHEAD}` : "?, ?, ?"}`,
    end:
      ` ON CONFLICT (workflow_id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")} ` +
      "WHERE (workflow_leases.lease_expires_at <= excluded.acquired_at OR workflow_leases.owner_id = ?) " +
      "AND workflow_leases.fencing_token < excluded.fencing_token",
    values: [
      workflow_id,
      owner_id,
      fencing_token,
      ...(isDatabases ? [milliseconds] : [acquired_at, heartbeat_at, lease_expires_at]),
      takeOverFrom ?? null,
    ],
    otherwise: "lease-held",
  };
}

/** Releases a lease: it ends with its last heartbeat. */
function releasing(
  {
    workflow_id,
    fencing_token,
    at,
  }: { readonly workflow_id: string; readonly fencing_token: number; readonly at: string },
  { schema, leaseClock }: Words,
): Statement {
  const isDatabases = leaseClock === "database";
  const now = isDatabases ? NOW : "?";
  return {
    name: "release",
    begin:
      `UPDATE ${schema}workflow_leases SET heartbeat_at = ${now}, lease_expires_at = ${now} ` +
      "WHERE workflow_id = ? AND fencing_token = ?",
    values: [...(isDatabases ? [] : [at, at]), workflow_id, fencing_token],
  };
}
