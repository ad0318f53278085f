import { Kysely, type SelectQueryBuilder } from "kysely";
import { type Checkpoint, checkpointOf } from "./checkpoints.ts";
import { asJournalError } from "./errors.ts";
import { incidentOf, type JournalIncident } from "./incidents.ts";
import { openJournal } from "./journal.ts";
import { nodeSqliteDialect } from "../base/node-sqlite-dialect.ts";
import type { CycleState, JournalTables, Operation } from "./rows.ts";
import { loadSqlite } from "./sqlite.ts";
import { cycleOf, type ToolCycle } from "./tool-cycles.ts";

export type { JournalTables } from "./rows.ts";

/** Options of every list. Times are milliseconds since 1970; rows are listed youngest first. */
export interface PageOptions {
  sessionId?: string;
  /** Only rows of this time or later. */
  from?: number;
  /** Only rows before this time. */
  until?: number;
  /** How many rows a page has, 100 by default. */
  limit?: number;
  /** `next` of the page before. */
  after?: number;
}

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** `after` for the next page; undefined on the last page. Stays valid when rows are added meanwhile. */
  next?: number;
}

/** Selects tool cycles. */
export interface CycleFilter extends PageOptions {
  states?: readonly CycleState[];
  toolName?: string;
  callId?: string;
}

/** Selects checkpoints. */
export interface CheckpointFilter extends PageOptions {
  operations?: readonly Operation[];
  isCommitted?: boolean;
}

/** Selects incidents. */
export interface IncidentFilter extends PageOptions {
  kinds?: readonly string[];
}

/** What the journal holds of a session, in numbers. */
export interface SessionSummary {
  sessionId: string;
  cycles: number;
  openCycles: number;
  checkpoints: number;
  incidents: number;
  /** Time of the session's latest record. */
  lastAt: number;
}

const DEFAULT_LIMIT = 100;

/** The columns of each table for order and time. */
const KEYS = {
  tool_cycles: ["id", "pending_at"],
  checkpoints: ["sequence", "created_at"],
  incidents: ["id", "at"],
} as const;

/**
 * Lists of what a journal holds, for people and their tools; the journal is never written. The queries that the guard
 * needs while OpenClaw runs are in {@link Journal}. Every method throws a JournalError when the database fails.
 */
export class JournalQueries {
  /** kysely over the journal's tables, for queries that no method here covers. */
  readonly tables: Kysely<JournalTables>;
  readonly #file: string;

  constructor(tables: Kysely<JournalTables>, file: string) {
    this.tables = tables;
    this.#file = file;
  }

  /** Returns tool cycles, youngest first. */
  async cycles(filter: CycleFilter = {}): Promise<Page<ToolCycle>> {
    const { states, toolName, callId } = filter;
    const query = this.tables
      .selectFrom("tool_cycles")
      .selectAll()
      .$if(states !== undefined, (some) => some.where("state", "in", states!))
      .$if(toolName !== undefined, (some) => some.where("tool_name", "=", toolName!))
      .$if(callId !== undefined, (some) => some.where("call_id", "=", callId!));
    return this.#page("tool_cycles", query, filter, cycleOf);
  }

  /** Returns checkpoints, youngest first. */
  async checkpoints(filter: CheckpointFilter = {}): Promise<Page<Checkpoint>> {
    const { operations, isCommitted } = filter;
    const query = this.tables
      .selectFrom("checkpoints")
      .selectAll()
      .$if(operations !== undefined, (some) => some.where("operation", "in", operations!))
      .$if(isCommitted !== undefined, (some) => some.where("committed_at", isCommitted ? "is not" : "is", null));
    return this.#page("checkpoints", query, filter, checkpointOf);
  }

  /** Returns incidents, youngest first. */
  async incidents(filter: IncidentFilter = {}): Promise<Page<JournalIncident>> {
    const { kinds } = filter;
    const query = this.tables
      .selectFrom("incidents")
      .selectAll()
      .$if(kinds !== undefined, (some) => some.where("kind", "in", kinds!));
    return this.#page("incidents", query, filter, incidentOf);
  }

  /**
   * Returns the checkpoint with this id, or the only one whose id begins with it; undefined when there is none or more
   * than one.
   */
  async checkpoint(id: string): Promise<Checkpoint | undefined> {
    const found = await this.#ask(() =>
      this.tables
        .selectFrom("checkpoints")
        .selectAll()
        .where("id", ">=", id)
        .where("id", "<", `${id}\u{10ffff}`)
        .orderBy("id")
        .limit(2)
        .execute(),
    );
    const [first, second] = found;
    return first !== undefined && (first.id === id || second === undefined) ? checkpointOf(first) : undefined;
  }

  /** Returns the sessions that the journal knows, the most recently active first. */
  async sessions({ limit = DEFAULT_LIMIT }: { limit?: number } = {}): Promise<SessionSummary[]> {
    const rows = await this.#ask(() =>
      this.tables
        .selectFrom((from) =>
          from
            .selectFrom("tool_cycles")
            .select(({ eb, fn, lit, val }) => [
              "session_id",
              val("cycles").as("what"),
              eb.case().when("closed_at", "is", null).then(lit(1)).else(lit(0)).end().as("open"),
              fn.coalesce("closed_at", "finished_at", "started_at", "pending_at").as("at"),
            ])
            .unionAll(
              from
                .selectFrom("checkpoints")
                .select(({ fn, lit, val }) => [
                  "session_id",
                  val("checkpoints").as("what"),
                  lit(0).as("open"),
                  fn.coalesce("rolled_back_at", "committed_at", "created_at").as("at"),
                ]),
            )
            .unionAll(
              from
                .selectFrom("incidents")
                .where("session_id", "is not", null)
                .select(({ lit, ref, val }) => [
                  ref("session_id").$notNull().as("session_id"),
                  val("incidents").as("what"),
                  lit(0).as("open"),
                  "at",
                ]),
            )
            .as("rows"),
        )
        .select(({ fn }) => [
          "session_id as sessionId",
          fn.countAll<number>().filterWhere("what", "=", "cycles").as("cycles"),
          fn.sum<number>("open").as("openCycles"),
          fn.countAll<number>().filterWhere("what", "=", "checkpoints").as("checkpoints"),
          fn.countAll<number>().filterWhere("what", "=", "incidents").as("incidents"),
          fn.max("at").as("lastAt"),
        ])
        .groupBy("session_id")
        .orderBy("lastAt", "desc")
        .orderBy("session_id")
        .limit(limit)
        .execute(),
    );
    return rows.map((row) => ({ ...row }));
  }

  /** Closes the database. */
  async close(): Promise<void> {
    await this.tables.destroy();
  }

  async #page<Table extends keyof typeof KEYS, Row, Item>(
    table: Table,
    query: SelectQueryBuilder<JournalTables, Table, Row>,
    { sessionId, from, until, limit = DEFAULT_LIMIT, after }: PageOptions,
    itemOf: (row: Row) => Item,
  ): Promise<Page<Item>> {
    const [key, time] = KEYS[table];
    const { ref } = this.tables.dynamic;
    const rows = await this.#ask(() =>
      query
        .$if(sessionId !== undefined, (some) => some.where(ref("session_id"), "=", sessionId))
        .$if(from !== undefined, (some) => some.where(ref(time), ">=", from))
        .$if(until !== undefined, (some) => some.where(ref(time), "<", until))
        .$if(after !== undefined, (some) => some.where(ref(key), "<", after))
        .orderBy(ref(key), "desc")
        // One row more than the page shows whether there is another page.
        .limit(limit + 1)
        .execute(),
    );
    const items = rows.slice(0, limit);
    const last = items.at(-1) as Record<string, number> | undefined;
    return { items: items.map((row) => itemOf(row as Row)), ...(rows.length > limit && last && { next: last[key]! }) };
  }

  async #ask<Answer>(query: () => Promise<Answer>): Promise<Answer> {
    try {
      return await query();
    } catch (error) {
      throw asJournalError(error, this.#file);
    }
  }
}

/**
 * Opens a journal for queries, read-only. Throws what {@link openJournal} throws with `readOnly`, `missing` included.
 */
export function openQueries(file: string, { busyTimeoutMs = 2000 }: { busyTimeoutMs?: number } = {}): JournalQueries {
  openJournal(file, { readOnly: true, busyTimeoutMs }).close();
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec(`PRAGMA busy_timeout = ${Math.floor(busyTimeoutMs)}`);
  return new JournalQueries(new Kysely<JournalTables>({ dialect: nodeSqliteDialect(database) }), file);
}
