import type { CycleRow, CycleState } from "./rows.ts";
import { type Connection, parseStored, type NoPromise, type Statement } from "./sqlite.ts";
import { storedWords } from "./stored-words.ts";

/** What a tool returned: the fields of OpenClaw's stored tool result. */
export interface CycleResult {
  content: unknown;
  details?: unknown;
  isError: boolean;
}

/** A tool call and its state. Times are milliseconds since 1970. */
export interface ToolCycle {
  id: number;
  sessionId: string;
  callId: string;
  toolName: string;
  /** SHA-256 of the canonical JSON of the input; see `inputHash`. */
  inputHash: string;
  state: CycleState;
  /** Kept until the transcript holds the result. */
  result?: CycleResult;
  checkpointId?: string;
  /**
   * The call block or the assistant message with the call, when the transcript gets it only together with the result;
   * kept until then.
   */
  call?: unknown;
  pendingAt: number;
  startedAt?: number;
  finishedAt?: number;
  /** Time of the commit or the rollback. */
  closedAt?: number;
}

/** A tool call that has not run yet. */
export type NewCycle = Pick<ToolCycle, "sessionId" | "callId" | "toolName" | "inputHash" | "checkpointId" | "call">;

/** A call that was under way at a time, in milliseconds since 1970. */
export interface CallAt {
  callId: string;
  toolName: string;
  at: number;
}

/** Calls of one answer have consecutive ids. How far before a call the others of its answer are looked for. */
const BEFORE_IN_ANSWER = 100;

const IS_OPEN = "state IN ('pending', 'executing', 'recording')";

/**
 * The tool cycles of the journal. Every method throws a JournalError when the database fails.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { inputHash, openJournal, type ToolCycles } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const cycles: ToolCycles = journal.cycles;
 * const [id] = cycles.pending([
 *   { sessionId: "s1", callId: "call_1", toolName: "exec", inputHash: inputHash({ command: "ls" }) },
 * ]);
 * cycles.start(id!); // the tool runs after this
 * cycles.record(id!, { content: [{ type: "text", text: "README.md" }], isError: false });
 * assert.equal(cycles.open("s1")[0]?.state, "recording"); // after a crash the journal still has the result
 * cycles.commit([id!]); // the transcript holds the result now
 * assert.deepEqual(cycles.open("s1"), []);
 * journal.close();
 * ```
 */
export class ToolCycles {
  readonly #connection: Connection;
  readonly #now: () => number;
  readonly #insert: Statement;
  readonly #start: Statement;
  readonly #record: Statement;
  readonly #close: Statement;
  readonly #open: Statement;
  readonly #get: Statement;
  readonly #prune: Statement;
  readonly #doubt: Statement;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
    this.#insert = connection.prepare(
      "INSERT INTO tool_cycles (session_id, call_id, tool_name, input_hash, state, checkpoint_id, call, " +
        "pending_at) VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)",
    );
    this.#start = connection.prepare(
      "UPDATE tool_cycles SET state = 'executing', started_at = ? WHERE id = ? AND state = 'pending'",
    );
    this.#record = connection.prepare(
      `UPDATE tool_cycles SET state = 'recording', result = ?, finished_at = ? WHERE id = ? AND ${IS_OPEN}`,
    );
    // The transcript holds the result now: a second copy is not needed.
    this.#close = connection.prepare(
      `UPDATE tool_cycles SET state = ?, result = NULL, call = NULL, closed_at = ? WHERE id = ? AND ${IS_OPEN}`,
    );
    this.#open = connection.prepare(`SELECT * FROM tool_cycles WHERE session_id = ? AND ${IS_OPEN} ORDER BY id`);
    this.#get = connection.prepare("SELECT * FROM tool_cycles WHERE id = ?");
    this.#prune = connection.prepare("DELETE FROM tool_cycles WHERE closed_at < ?");
    this.#doubt = connection.prepare(
      "UPDATE tool_cycles SET state = 'executing', started_at = pending_at WHERE state = 'pending'",
    );
  }

  /** Inserts calls before any of them runs: all, or none. Returns their ids in order. */
  pending(cycles: readonly NewCycle[]): number[] {
    return this.#together(cycles.length, () =>
      cycles.map(
        ({ sessionId, callId, toolName, inputHash, checkpointId, call }) =>
          this.#insert.run(
            sessionId,
            callId,
            toolName,
            inputHash,
            checkpointId ?? null,
            call === undefined ? null : storedWords(call),
            this.#now(),
          ).id,
      ),
    );
  }

  /**
   * Marks a call as started, before its tool runs. The mark is on the disk when the method returns, also after a power
   * cut: otherwise a call that ran could be reported as one that was not started. Returns false when the call had been
   * started before.
   */
  start(id: number): boolean {
    const start = (): boolean => this.#start.run(this.#now(), id).changes === 1;
    // Inside a transaction nothing is on the disk before its commit, and SQLite refuses to change `synchronous`.
    if (this.#connection.isTransaction) return start();
    this.#connection.exec("PRAGMA synchronous = FULL");
    try {
      return start();
    } finally {
      this.#connection.exec("PRAGMA synchronous = NORMAL");
    }
  }

  /** Stores the result of a tool; the result survives a kill right after. Returns false when the cycle is closed. */
  record(id: number, result: CycleResult): boolean {
    return this.#record.run(storedWords(result), this.#now(), id).changes === 1;
  }

  /** Closes cycles whose results the transcript holds. */
  commit(ids: readonly number[]): void {
    this.#closeAll("committed", ids);
  }

  /** Closes cycles as rolled back; only for calls whose tools did not run. */
  rollBack(ids: readonly number[]): void {
    this.#closeAll("rolled_back", ids);
  }

  /** Returns the open cycles of a session, oldest first. */
  open(sessionId: string): ToolCycle[] {
    return this.#open.all<CycleRow>(sessionId).map(toToolCycle);
  }

  /**
   * Returns the calls of a session that ran after a given call began, or beside it in the same answer, without those of
   * the tools `except`: the first `limit`, and how many there are in all. Undefined when the given call is not found. A
   * provider may have given several calls one id: the latest of them counts.
   */
  since(
    { callId, toolName, at }: CallAt,
    { except, limit }: { except: readonly string[]; limit: number },
  ): { cycles: ToolCycle[]; total: number } | undefined {
    const found = this.#connection
      .prepare(
        "SELECT * FROM tool_cycles WHERE call_id = ? AND tool_name = ? AND pending_at <= ? AND (finished_at IS " +
          "NULL OR finished_at >= ?) ORDER BY id DESC LIMIT 1",
      )
      .get<CycleRow>(callId, toolName, at, at);
    if (!found) return undefined;
    const { id, session_id, pending_at } = found;
    const since =
      "FROM tool_cycles WHERE session_id = ? AND id > ? AND id <> ? AND (id > ? OR (started_at >= ? AND " +
      `(finished_at IS NULL OR finished_at >= ?))) AND tool_name NOT IN (${except.map(() => "?").join(", ")})`;
    const values = [session_id, id - BEFORE_IN_ANSWER, id, id, pending_at, at, ...except];
    const rows = this.#connection.prepare(`SELECT * ${since} ORDER BY id LIMIT ?`).all<CycleRow>(...values, limit);
    const counted = this.#connection.prepare(`SELECT count(*) AS total ${since}`).get<{ total: number }>(...values);
    return { cycles: rows.map(toToolCycle), total: counted?.total ?? 0 };
  }

  /** Whether the journal has a call of a session under this id, in any state. */
  has(sessionId: string, callId: string): boolean {
    const found = this.#connection.prepare("SELECT 1 FROM tool_cycles WHERE call_id = ? AND session_id = ? LIMIT 1");
    return found.get(callId, sessionId) !== undefined;
  }

  /** Returns the cycle with this id; undefined when there is none. */
  get(id: number): ToolCycle | undefined {
    const row = this.#get.get<CycleRow>(id);
    return row && toToolCycle(row);
  }

  /**
   * Marks every pending call as started; returns how many. For a journal that could not be written when a call was
   * started, and would report a call that ran as one that did not.
   */
  doubt(): number {
    return this.#doubt.run().changes;
  }

  /**
   * Deletes cycles that were closed before `time`; returns how many. Open cycles are never deleted: a history may still
   * need them.
   */
  prune(time: number): number {
    return this.#prune.run(time).changes;
  }

  #closeAll(state: "committed" | "rolled_back", ids: readonly number[]): void {
    this.#together(ids.length, () => {
      for (const id of ids) this.#close.run(state, this.#now(), id);
    });
  }

  /** Runs several statements in a transaction; a single one is atomic by itself, without the cost of a transaction. */
  #together<T>(statements: number, work: () => NoPromise<T>): NoPromise<T> {
    return statements > 1 ? this.#connection.transaction(work) : work();
  }
}

/** Converts a row of `tool_cycles`. */
function toToolCycle(row: CycleRow): ToolCycle {
  const { id, state } = row;
  return {
    id,
    sessionId: row.session_id,
    callId: row.call_id,
    toolName: row.tool_name,
    inputHash: row.input_hash,
    state,
    pendingAt: row.pending_at,
    ...(row.result !== null && { result: parseStored(row.result) as CycleResult }),
    ...(row.checkpoint_id !== null && { checkpointId: row.checkpoint_id }),
    ...(row.call !== null && { call: parseStored(row.call) }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.closed_at !== null && { closedAt: row.closed_at }),
  };
}
