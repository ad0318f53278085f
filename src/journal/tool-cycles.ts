import type { CycleRow, CycleState } from "./rows.ts";
import { type Connection, parseStored, type Statement } from "./sqlite.ts";
import { storedWords } from "./stored-words.ts";

/** What a tool gave back: the fields of OpenClaw's stored tool result. */
export interface CycleResult {
  content: unknown;
  details?: unknown;
  isError: boolean;
}

/** A call of a tool and what became of it. Times are milliseconds since 1970. */
export interface ToolCycle {
  id: number;
  sessionId: string;
  callId: string;
  toolName: string;
  /** SHA-256 over the canonical JSON of the input, see `inputHash`. */
  inputHash: string;
  state: CycleState;
  /** Kept until the transcript holds it. */
  result?: CycleResult;
  checkpointId?: string;
  /** What made the call, where the transcript gets it together with the result; kept until then. */
  call?: unknown;
  pendingAt: number;
  startedAt?: number;
  finishedAt?: number;
  /** When it was committed or rolled back. */
  closedAt?: number;
}

/** A call that was just made. */
export type NewCycle = Pick<ToolCycle, "sessionId" | "callId" | "toolName" | "inputHash" | "checkpointId" | "call">;

/**
 * The tool cycles of the journal. Every method throws a JournalError when the database fails. Issue 5, item 1.
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
 * cycles.start(id!); // then the tool is run
 * cycles.record(id!, { content: [{ type: "text", text: "README.md" }], isError: false });
 * assert.equal(cycles.open("s1")[0]?.state, "recording"); // what a crash leaves here
 * cycles.commit([id!]); // the transcript has it now
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
      "INSERT INTO tool_cycles (session_id, call_id, tool_name, input_hash, state, checkpoint_id, call, pending_at) VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)",
    );
    this.#start = connection.prepare(
      "UPDATE tool_cycles SET state = 'executing', started_at = ? WHERE id = ? AND state = 'pending'",
    );
    this.#record = connection.prepare(
      "UPDATE tool_cycles SET state = 'recording', result = ?, finished_at = ? WHERE id = ? AND state IN ('pending', 'executing', 'recording')",
    );
    // What the transcript holds need not be kept twice.
    this.#close = connection.prepare(
      "UPDATE tool_cycles SET state = ?, result = NULL, call = NULL, closed_at = ? WHERE id = ? AND state IN ('pending', 'executing', 'recording')",
    );
    this.#open = connection.prepare(
      "SELECT * FROM tool_cycles WHERE session_id = ? AND state IN ('pending', 'executing', 'recording') ORDER BY id",
    );
    this.#get = connection.prepare("SELECT * FROM tool_cycles WHERE id = ?");
    this.#prune = connection.prepare("DELETE FROM tool_cycles WHERE closed_at < ?");
    this.#doubt = connection.prepare(
      "UPDATE tool_cycles SET state = 'executing', started_at = pending_at WHERE state = 'pending'",
    );
  }

  /** Takes down calls before anything of them runs, all or none; their ids in order. */
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
   * The call is about to be carried out. On the disk when it returns, power cuts included: otherwise a call that ran
   * could be told as one that was not started. False when it had been started before.
   */
  start(id: number): boolean {
    const start = (): boolean => this.#start.run(this.#now(), id).changes === 1;
    // Within a transaction nothing is on the disk before its end, and SQLite does not let this be changed.
    if (this.#connection.isTransaction) return start();
    this.#connection.exec("PRAGMA synchronous = FULL");
    try {
      return start();
    } finally {
      this.#connection.exec("PRAGMA synchronous = NORMAL");
    }
  }

  /** Keeps what the tool gave back; kept when the process is killed right after. False when the cycle is closed. */
  record(id: number, result: CycleResult): boolean {
    return this.#record.run(storedWords(result), this.#now(), id).changes === 1;
  }

  /** The transcript holds the result. */
  commit(ids: readonly number[]): void {
    this.#closeAll("committed", ids);
  }

  /** The calls were taken back; only for calls of which nothing ran. */
  rollBack(ids: readonly number[]): void {
    this.#closeAll("rolled_back", ids);
  }

  /** Cycles of a session that are not closed, oldest first. */
  open(sessionId: string): ToolCycle[] {
    return this.#open.all<CycleRow>(sessionId).map(cycleOf);
  }

  /** One cycle; undefined when there is none under this id. */
  get(id: number): ToolCycle | undefined {
    const row = this.#get.get<CycleRow>(id);
    return row && cycleOf(row);
  }

  /**
   * Takes every call that was not started for one that may have been; how many. For a journal that could not be written
   * when a call was started: it would tell a call that ran as one that did not.
   */
  doubt(): number {
    return this.#doubt.run().changes;
  }

  /**
   * Deletes closed cycles that were closed before `time`; how many. Open ones are never deleted: a history may still
   * ask for them.
   */
  prune(time: number): number {
    return this.#prune.run(time).changes;
  }

  #closeAll(state: "committed" | "rolled_back", ids: readonly number[]): void {
    this.#together(ids.length, () => {
      for (const id of ids) this.#close.run(state, this.#now(), id);
    });
  }

  /** All or none; one statement is that by itself, without the time that a transaction takes. */
  #together<T>(statements: number, work: () => T): T {
    return statements > 1 ? this.#connection.transaction(work) : work();
  }
}

/** A cycle as its row says it. */
export function cycleOf(row: CycleRow): ToolCycle {
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
