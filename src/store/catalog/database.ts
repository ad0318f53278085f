import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as zlib from "node:zlib";
import { openingTrouble } from "../../base/file-trouble.ts";
import { loadSqlite } from "../../journal/sqlite.ts";
import type { JsonObject } from "../../transcript/json/json.ts";
import { describeError, storeError } from "../errors.ts";
import { recordFaultIn, type Refusal } from "../sessions/record-fault.ts";
import type { SessionSummary, StoredRows } from "./summary.ts";

/** Longer than one commit of OpenClaw locks the database. */
const BUSY_TIMEOUT_MS = 5000;

interface WindowRow {
  session_id: string;
  session_key: string;
  current_session_id: string | null;
  updated_at: number;
  last_seq: number | null;
  generation: string | null;
  is_cold: number;
  is_outdated: number;
  record: string | null;
}

interface EventRow {
  event_json: string | null;
  event_zstd?: Uint8Array | null;
}

/** An agent's database (since 2026.8), opened read-only: only OpenClaw writes to it. */
export class AgentDatabase {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #tables: ReadonlySet<string>;
  #events: StatementSync | undefined;
  #index: StatementSync | undefined;
  #records: StatementSync | undefined;

  /** Throws `store-unreadable`, and a JournalError `no-sqlite` where Node has no `node:sqlite`. */
  constructor(file: string) {
    this.#file = file;
    const { DatabaseSync } = loadSqlite();
    try {
      this.#database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      this.#tables = new Set(
        this.#database
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
          .all()
          .map(({ name }) => String(name)),
      );
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  sessions(agentId: string): readonly SessionSummary[] {
    if (!this.#tables.has("session_windows") || !this.#tables.has("transcript_events"))
      throw this.#unreadable(new Error("a database without OpenClaw's tables of sessions"));
    const rows = this.#unlessUnreadable(() => this.#database.prepare(this.#windows()).all() as unknown as WindowRow[]);
    return rows.map((row) => ({
      kind: "rows",
      agentId,
      sessionId: row.session_id,
      sessionKey: row.session_key,
      place: this.#file,
      isCurrent: row.current_session_id === row.session_id,
      updatedAt: row.updated_at,
      watermark:
        `${row.last_seq ?? "-"}:${row.generation ?? "-"}:${row.is_cold}` +
        `${row.is_outdated === 1 ? ":outdated" : ""}${mark(refusalIn(row.record))}`,
      ...(row.is_cold === 1 && {
        unread: "OpenClaw has moved it into its cold archive, which is not read",
        isPutAway: true,
      }),
    }));
  }

  #windows(): string {
    // Not every release since 2026.8 has these two tables.
    const generation = this.#tables.has("transcript_rewrite_watermarks")
      ? "(SELECT generation FROM transcript_rewrite_watermarks r WHERE r.session_id = w.session_id)"
      : "NULL";
    const cold = this.#tables.has("session_transcript_cold_archives")
      ? "EXISTS (SELECT 1 FROM session_transcript_cold_archives c WHERE c.session_id = w.session_id)"
      : "0";
    return `SELECT w.session_id, w.session_key, n.current_session_id, w.updated_at, ${generation} AS generation,
         ${cold} AS is_cold, ${this.#outdated()} AS is_outdated, ${this.#record()} AS record,
         (SELECT max(seq) FROM transcript_events e WHERE e.session_id = w.session_id) AS last_seq
       FROM session_windows w LEFT JOIN session_nodes n ON n.session_key = w.session_key`;
  }

  read({ sessionId }: SessionSummary): StoredRows {
    const rows: unknown[] = [];
    let unreadable = 0;
    for (const row of this.#readEvents(sessionId)) {
      try {
        rows.push(JSON.parse(readEvent(row)) as unknown);
      } catch {
        unreadable++;
      }
    }
    const refusal = this.#findRefusal(sessionId);
    return {
      rows,
      unreadable,
      torn: 0,
      ...(this.#hasOutdatedIndex(sessionId) && { hasOutdatedIndex: true }),
      ...(refusal && { refusal }),
    };
  }

  close(): void {
    this.#database.close();
  }

  /** Reads the rows of a session. The statement is prepared once: a scan reads thousands of sessions. */
  #readEvents(sessionId: string): EventRow[] {
    return this.#unlessUnreadable(() => {
      this.#events ??= this.#prepareEvents();
      return this.#events.all(sessionId) as unknown as EventRow[];
    });
  }

  #prepareEvents(): StatementSync {
    return this.#database.prepare(
      `SELECT event_json${this.#hasColumn("transcript_events", "event_zstd") ? ", event_zstd" : ""} FROM ` +
        "transcript_events WHERE session_id = ? ORDER BY seq",
    );
  }

  #hasOutdatedIndex(sessionId: string): boolean {
    return this.#unlessUnreadable(() => {
      this.#index ??= this.#database.prepare(
        `SELECT ${this.#outdated()} AS is_outdated FROM session_windows w WHERE w.session_id = ?`,
      );
      return this.#index.get(sessionId)?.["is_outdated"] === 1;
    });
  }

  #findRefusal(sessionId: string): Refusal | undefined {
    return this.#unlessUnreadable(() => {
      this.#records ??= this.#database.prepare(
        `SELECT ${this.#record()} AS record FROM session_windows w LEFT JOIN session_nodes n ON n.session_key = ` +
          "w.session_key WHERE w.session_id = ?",
      );
      return refusalIn(this.#records.get(sessionId)?.["record"]);
    });
  }

  /**
   * SQL for OpenClaw's record of a conversation, for its current session: only the few that can have a fault are read.
   */
  #record(): string {
    if (!this.#hasColumn("session_nodes", "entry_json")) return "NULL";
    const isSuspect = ["mainRestartRecovery", "initializationPending", "lastRunError"].map(
      (field) => `instr(n.entry_json, '"${field}"') > 0`,
    );
    return `CASE WHEN n.current_session_id = w.session_id AND (${isSuspect.join(" OR ")}) THEN n.entry_json END`;
  }

  /**
   * SQL for the check that OpenClaw makes before a bounded read of a session: true where OpenClaw would refuse that
   * read.
   */
  #outdated(): string {
    if (!this.#tables.has("session_transcript_index_state")) return "0";
    const isUnclassified = this.#hasColumn("session_transcript_active_events", "context_eligible")
      ? "EXISTS (SELECT 1 FROM session_transcript_active_events a WHERE a.session_id = w.session_id AND " +
        "a.context_eligible IS NULL)"
      : "0";
    return `EXISTS (SELECT 1 FROM transcript_events e WHERE e.session_id = w.session_id)
      AND (${isUnclassified} OR NOT EXISTS (
        SELECT 1 FROM session_transcript_index_state s
        WHERE s.session_id = w.session_id AND s.needs_rebuild = 0
          AND s.indexed_seq = (SELECT max(seq) FROM transcript_events l WHERE l.session_id = s.session_id)))`;
  }

  #hasColumn(table: string, column: string): boolean {
    return this.#database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== undefined;
  }

  #unlessUnreadable<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  #unreadable(error: unknown): Error {
    const trouble = openingTrouble(error, this.#file);
    return storeError("store-unreadable", {
      expected: `OpenClaw's sessions in ${this.#file}`,
      found: trouble?.found ?? describeError(error),
      todo: `${
        trouble?.todo ??
        "Let OpenClaw check it (openclaw doctor), or name another state directory with OPENCLAW_STATE_DIR."
      } Nothing was changed.`,
      cause: error,
    });
  }
}

function refusalIn(text: unknown): Refusal | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const record: unknown = JSON.parse(text);
    const fault = recordFaultIn(record, Date.now());
    return fault && { fault, record: record as JsonObject };
  } catch {
    return undefined;
  }
}

function mark(refusal: Refusal | undefined): string {
  return refusal === undefined ? "" : `:${refusal.fault}`;
}

/** The JSON of a row; OpenClaw compresses long rows. */
function readEvent({ event_json: json, event_zstd: compressed }: EventRow): string {
  if (json !== null || !compressed) return json ?? "";
  return zlib.zstdDecompressSync(compressed).toString("utf8");
}
