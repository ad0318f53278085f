import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { openJournal, type Journal } from "../../../src/journal/index.ts";
import { storedWords } from "../../../src/journal/stored-words.ts";
import { median } from "../measure.ts";

/**
 * A call of the journal's against the same statements, prepared once, with the same durability and nothing around them.
 */
export interface JournalCost {
  name: string;
  /** The other side is less than the journal's own statements: no aim, but worth knowing. */
  isPlain: boolean;
  rounds: number;
  ms: number;
  bareMs: number;
  /** Median of the ratios of neighbouring rounds. */
  ratio: number;
  /** The middle half of these ratios. */
  spread: [number, number];
  /** The slowest call in a hundred. */
  p99Ms: number;
}

const ROUNDS = 60;
const CALLS = 25;
const SESSION = "agent:main:telegram:dm:1";
/** A session that has no more checkpoints than are kept. */
const PRUNED = "agent:main:telegram:dm:2";
const HASH = "0".repeat(64);
const KEEP = 10;
/** What a tool gives back: a short file, a long one. */
const RESULTS = [200, 20_000] as const;

/** A step of the life of a call or a checkpoint, done `CALLS` times over. */
interface Step {
  name: string;
  isPlain?: boolean;
  run(): () => void;
  bare(): () => void;
}

/** Measures each step of a cycle and of a checkpoint, and both as a whole, on a real file. */
export function measureJournal(): JournalCost[] {
  const folder = mkdtempSync(join(tmpdir(), "bench-journal-"));
  const journal = openJournal(join(folder, "journal.sqlite"));
  // The schema is the same, and so are the pages that are written.
  openJournal(join(folder, "bare.sqlite")).close();
  const database = new DatabaseSync(join(folder, "bare.sqlite"));
  database.exec("PRAGMA busy_timeout = 250; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA secure_delete = ON");
  try {
    return makeSteps(journal, new Bare(database)).map(measure);
  } finally {
    journal.close();
    database.close();
    rmSync(folder, { recursive: true });
  }
}

/** Runs a step and its bare counterpart turn and turn about, after both are warm. */
function measure({ name, isPlain = false, run, bare }: Step): JournalCost {
  const rounds: { ms: number; bareMs: number }[] = [];
  const singles: number[] = [];
  for (let round = -5; round < ROUNDS; round++) {
    // Who comes second finds the log as the first left it, so they take turns at that too.
    const bareFirst = round % 2 === 0 ? time(bare()) : undefined;
    const own = time(run());
    const bareTimes = bareFirst ?? time(bare());
    if (round < 0) continue;
    singles.push(...own);
    rounds.push({ ms: sum(own) / CALLS, bareMs: sum(bareTimes) / CALLS });
  }
  const ratios = rounds.map(({ ms, bareMs }) => ms / bareMs).toSorted((a, b) => a - b);
  const quarter = Math.floor(ratios.length / 4);
  return {
    name,
    isPlain,
    rounds: ROUNDS,
    ms: median(rounds.map(({ ms }) => ms)),
    bareMs: median(rounds.map(({ bareMs }) => bareMs)),
    ratio: median(ratios),
    spread: [ratios[quarter]!, ratios.at(-1 - quarter)!],
    p99Ms: singles.toSorted((a, b) => a - b)[Math.floor(singles.length * 0.99)]!,
  };
}

function time(work: () => void): number[] {
  return Array.from({ length: CALLS }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A journal's statements with nothing around them. */
class Bare {
  readonly database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #start: StatementSync;
  readonly #record: StatementSync;
  readonly #commit: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #commitCheckpoint: StatementSync;
  readonly #prune: StatementSync;
  readonly #plain: StatementSync;

  constructor(database: DatabaseSync) {
    this.database = database;
    this.#insert = database.prepare(
      "INSERT INTO tool_cycles (session_id, call_id, tool_name, input_hash, state, checkpoint_id, pending_at) VALUES (?, ?, ?, ?, 'pending', NULL, ?)",
    );
    this.#start = database.prepare(
      "UPDATE tool_cycles SET state = 'executing', started_at = ? WHERE id = ? AND state = 'pending'",
    );
    this.#record = database.prepare(
      "UPDATE tool_cycles SET state = 'recording', result = ?, finished_at = ? WHERE id = ? AND state IN ('pending', 'executing', 'recording')",
    );
    this.#commit = database.prepare(
      "UPDATE tool_cycles SET state = 'committed', result = NULL, closed_at = ? WHERE id = ? AND state IN ('pending', 'executing', 'recording')",
    );
    this.#checkpoint = database.prepare(
      "INSERT INTO checkpoints (id, session_id, created_at, operation, message_index, content_hash, first_entry_id, leaf_entry_id, snapshot) VALUES (?, ?, ?, 'tool_cycle', 1, ?, NULL, ?, NULL)",
    );
    this.#commitCheckpoint = database.prepare("UPDATE checkpoints SET committed_at = ? WHERE id = ?");
    this.#prune = database.prepare(
      "DELETE FROM checkpoints WHERE session_id = ?1 AND committed_at IS NOT NULL AND sequence NOT IN (SELECT sequence FROM checkpoints WHERE session_id = ?1 AND committed_at IS NOT NULL ORDER BY sequence DESC LIMIT ?2)",
    );
    database.exec(
      "CREATE TABLE plain (id INTEGER PRIMARY KEY, session_id TEXT, call_id TEXT, tool_name TEXT, input_hash TEXT, state TEXT, checkpoint_id TEXT, pending_at INTEGER)",
    );
    this.#plain = database.prepare(
      "INSERT INTO plain (session_id, call_id, tool_name, input_hash, state, checkpoint_id, pending_at) VALUES (?, ?, ?, ?, 'pending', NULL, ?)",
    );
  }

  /** Into a table that has no index and no checks. */
  plain(callId: string): void {
    this.#plain.run(SESSION, callId, "read", HASH, Date.now());
  }

  pending(callId: string): number {
    return Number(this.#insert.run(SESSION, callId, "read", HASH, Date.now()).lastInsertRowid);
  }

  start(id: number): void {
    this.database.exec("PRAGMA synchronous = FULL");
    this.#start.run(Date.now(), id);
    this.database.exec("PRAGMA synchronous = NORMAL");
  }

  record(id: number, result: string): void {
    this.#record.run(result, Date.now(), id);
  }

  commit(id: number): void {
    this.#commit.run(Date.now(), id);
  }

  checkpoint(id: string, sessionId: string): string {
    this.#checkpoint.run(id, sessionId, Date.now(), HASH, id);
    return id;
  }

  commitCheckpoint(id: string, sessionId: string): void {
    this.database.exec("BEGIN IMMEDIATE");
    this.#commitCheckpoint.run(Date.now(), id);
    this.#prune.run(sessionId, KEEP);
    this.database.exec("COMMIT");
  }
}

function content(size: number): { content: unknown; isError: boolean } {
  return { content: [{ type: "text", text: "x".repeat(size) }], isError: false };
}

/** Makes what a round needs first, outside of what is measured. */
function each<Value>(make: () => Value, work: (value: Value) => void): () => () => void {
  return () => {
    const values = Array.from({ length: CALLS }, make);
    let at = 0;
    return () => work(values[at++]!);
  };
}

function makeSteps(journal: Journal, bare: Bare): Step[] {
  let made = 0;
  const callId = (): string => `toolu_${String(made++).padStart(24, "0")}`;
  const { cycles, checkpoints } = journal;
  const pending = (): number =>
    cycles.pending([{ sessionId: SESSION, callId: callId(), toolName: "read", inputHash: HASH }])[0]!;
  const barePending = (): number => bare.pending(callId());
  const started = (): number => {
    const id = pending();
    cycles.start(id);
    return id;
  };
  const bareStarted = (): number => {
    const id = barePending();
    bare.start(id);
    return id;
  };
  const checkpoint = (sessionId: string): string =>
    checkpoints.create({
      sessionId,
      operation: "tool_cycle",
      messageIndex: 1,
      contentHash: HASH,
      firstEntryId: null,
      leafEntryId: callId(),
    }).id;
  const bareCheckpoint = (sessionId: string): string => bare.checkpoint(crypto.randomUUID(), sessionId);
  const commitCheckpoint = (id: string): void =>
    journal.transaction(() => {
      checkpoints.commit(id);
      checkpoints.prune(PRUNED, KEEP);
    });
  return [
    { name: "a call is pending", run: () => pending, bare: () => barePending },
    {
      name: "a call is pending, against a table without index or checks",
      isPlain: true,
      run: () => pending,
      bare: () => () => bare.plain(callId()),
    },
    {
      name: "it is started, on the disk",
      run: each(pending, (id) => cycles.start(id)),
      bare: each(barePending, (id) => bare.start(id)),
    },
    ...RESULTS.map((size) => ({
      name: `its result is recorded, ${size.toLocaleString("en-US")} characters`,
      run: each(started, (id) => cycles.record(id, content(size))),
      bare: each(bareStarted, (id) => bare.record(id, storedWords(content(size)))),
    })),
    {
      name: "its result is recorded, against one whose words lie among the other columns",
      isPlain: true,
      run: each(started, (id) => cycles.record(id, content(200))),
      bare: each(bareStarted, (id) => bare.record(id, JSON.stringify(content(200)))),
    },
    {
      name: "it is committed",
      run: each(started, (id) => cycles.commit([id])),
      bare: each(bareStarted, (id) => bare.commit(id)),
    },
    {
      name: "the whole cycle",
      run: () => () => {
        const id = started();
        cycles.record(id, content(200));
        cycles.commit([id]);
      },
      bare: () => () => {
        const id = bareStarted();
        bare.record(id, storedWords(content(200)));
        bare.commit(id);
      },
    },
    { name: "a checkpoint is made", run: () => () => checkpoint(SESSION), bare: () => () => bareCheckpoint(SESSION) },
    {
      name: `it is committed, and all but the last ${KEEP} are pruned`,
      run: each(() => checkpoint(PRUNED), commitCheckpoint),
      bare: each(
        () => bareCheckpoint(PRUNED),
        (id) => bare.commitCheckpoint(id, PRUNED),
      ),
    },
  ];
}
