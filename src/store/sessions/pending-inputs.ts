import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../journal/sqlite.ts";
import { isObject, type JsonObject, parsedJson } from "../../transcript/json/json.ts";

/** A message that OpenClaw has accepted and stored beside the transcript, which no run has taken into it. */
export interface PendingInput {
  readonly id: string;
  /** `queued` also where the process that had it queued has ended. */
  readonly state: "queued" | "interrupted" | "cancelled";
  /** The user message that a run would store. */
  readonly message: JsonObject;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
}

const TABLE = "session_pending_inputs";
/** More than so many are no queue of a person. */
const MOST = 200;
const BUSY_TIMEOUT_MS = 5000;

/**
 * Returns the ids of a session's pending inputs in the database of its agent, in the order of acceptance; undefined in
 * a release that has none. Throws when the database cannot be read.
 */
export function pendingInputIds(file: string, sessionId: string): string[] | undefined {
  if (!existsSync(file)) return undefined;
  return reading(file, (database) => {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(TABLE);
    if (columns.length === 0) return undefined;
    // A message that was put into one with others stays, with the id of the entry that has it.
    const isUnused = columns.some(({ name }) => name === "consumed_event_id") ? "AND consumed_event_id IS NULL" : "";
    const rows = database
      .prepare(`SELECT input_id FROM ${TABLE} WHERE session_id = ? ${isUnused} ORDER BY seq DESC LIMIT ${MOST}`)
      .all(sessionId);
    return rows.toReversed().map((row) => String(row["input_id"]));
  });
}

/** Reads pending inputs by their ids. Throws when the database cannot be read. */
export function readPendingInputs(file: string, ids: readonly string[]): PendingInput[] {
  return reading(file, (database) => {
    const select = database.prepare(`SELECT state, accepted_at, message_json FROM ${TABLE} WHERE input_id = ?`);
    return ids.flatMap((id) => {
      const row = select.get(id) as Record<string, unknown> | undefined;
      const message = parsedJson(String(row?.["message_json"]));
      if (!row || !isObject(message) || message.role !== "user") return [];
      return [{ id, state: row["state"], message, acceptedAt: row["accepted_at"] } as PendingInput];
    });
  });
}

function reading<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
