import { AsyncLocalStorage } from "node:async_hooks";
import { CompiledQuery, type Kysely, type QueryResult, sql, type UpdateResult } from "kysely";
import { eventsAfter, selectEvents, type StoredEvent, toEventRow } from "./rows/event-rows.ts";
import { insertProject, selectResult } from "./rows/project-rows.ts";
import type { ColumnTypes } from "./rows/schema.ts";
import type { Anchor } from "../ledger/anchor.ts";
import type {
  Commit,
  CommitOutcome,
  CompletedStepRow,
  ContinuityStore,
  EventRow,
  Heartbeat,
  LeaseClock,
  LeaseRow,
  ProjectRows,
  SnapshotRow,
  StepAttemptRow,
  StepRows,
  WorkflowRow,
} from "../ledger/store.ts";
import { databaseTime, prolonged } from "./rows/lease-rows.ts";
import type { Patience } from "./patience.ts";
import { idsWithoutRow } from "./rows/ids-without-row.ts";
import {
  insertSnapshot,
  selectLatestSnapshot,
  removeAllSnapshots,
  removeSurplus,
  selectSnapshots,
} from "./rows/snapshot-rows.ts";
import { stepOfKey, stepRows } from "./rows/step-rows.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/** What SQLite and PostgreSQL do differently. */
export interface Dialect {
  /** Converts the database's error to a ContinuityError. */
  readonly asError: (error: unknown) => unknown;
  /** Writes a commit, all of it or nothing; in the given transaction, if there is one. */
  readonly write: (commit: Commit, held: Held | undefined) => Promise<CommitOutcome>;
  /** SQL for what an event belongs to: the step, its idempotency key and its type, and the goal or task. */
  readonly columns: Pick<ColumnTypes, "stepOfEvent" | "keyOfEvent" | "typeOfEvent" | "itemOfEvent">;
  readonly leaseClock: LeaseClock;
  /**
   * Returns the statements that begin a transaction, hold back the other writers of a workflow, and read its events
   * behind a position, where the database can do that: in one round trip, because the others wait.
   */
  readonly beginHolding?: (workflow_id: string, page: Page) => string;
  /** How long calls wait for a database that is away for a while. */
  readonly patience?: Patience;
  /** What the database itself finds wrong in its file, where it has such a check. */
  readonly faults?: () => Promise<string[]>;
  /** Notes the end of each ledger outside of the database. */
  readonly anchor?: Anchor | undefined;
  /** Runs work, and retries while the database is busy; failed work has written nothing. */
  readonly retryWhileBusy?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

type Db = Kysely<ContinuityTables>;

/** Events behind a position, at most `limit`. */
export interface Page {
  readonly after: number;
  readonly limit: number;
}

/** A transaction that holds a workflow, and that every request in its work goes through. */
export interface Held {
  readonly db: Db;
  /** The events that were read when the transaction began; undefined once the work writes. */
  ahead: (Page & { readonly workflow_id: string; readonly rows: StoredEvent[] }) | undefined;
  isOver: boolean;
  /** A commit in it was refused after some of its statements: the transaction has to be rolled back. */
  isSpoilt: boolean;
  /** What becomes durable with the transaction. */
  committed: Commit | undefined;
}

const TRIES_PER_LEASE = 3;

/** Thrown to roll back the creation of a project that exists already. */
class IsThere extends Error {}

/**
 * The {@link ContinuityStore}, which says what each method promises, on kysely: SQL that both SQLite and PostgreSQL
 * understand. Requests that may be repeated go through `#run`, which waits for a database that is away. What must not
 * be written twice goes through `#once`: when the answer is lost, it may have been written.
 */
export class SqlStore implements ContinuityStore {
  readonly #db: Kysely<ContinuityTables>;
  readonly #dialect: Dialect;
  readonly #crashPoint: (name: string) => void;
  readonly #held = new AsyncLocalStorage<Held>();

  constructor(db: Kysely<ContinuityTables>, dialect: Dialect, crashPoint: (name: string) => void) {
    this.#db = db;
    this.#dialect = dialect;
    this.#crashPoint = crashPoint;
  }

  leaseClock(): LeaseClock {
    return this.#dialect.leaseClock;
  }

  time(): Promise<number> {
    return this.#run(async (db) => Date.parse(await databaseTime(db)));
  }

  patiently<T>(work: () => Promise<T>): Promise<T> {
    const { patience } = this.#dialect;
    return patience ? patience.together(work) : work();
  }

  async mayRepeat(tries: number): Promise<boolean> {
    return (await this.#dialect.patience?.pause(tries)) ?? false;
  }

  async exclusively<T>(workflow_id: string, page: Page, work: () => Promise<T>): Promise<T> {
    const { beginHolding } = this.#dialect;
    if (!beginHolding) return work();
    return this.#once((all) =>
      all.connection().execute(async (db) => {
        const run = (text: string): Promise<QueryResult<unknown>> => db.executeQuery(CompiledQuery.raw(text));
        const held: Held = { db, ahead: undefined, isOver: false, isSpoilt: false, committed: undefined };
        try {
          // Inside of the `try`: when a statement behind BEGIN fails, ROLLBACK must run before the connection is used
          // again.
          const rows = (await run(beginHolding(workflow_id, page))).rows as StoredEvent[];
          held.ahead = { ...page, workflow_id, rows };
          const value = await this.#held.run(held, work);
          if (!held.isOver) await run(held.isSpoilt ? "ROLLBACK" : "COMMIT");
          if (held.committed && !held.isSpoilt) this.#noted(held.committed);
          return value;
        } catch (error) {
          await run("ROLLBACK").catch(() => undefined);
          throw error;
        } finally {
          held.isOver = true;
        }
      }),
    );
  }

  async ensureWorkflow(workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">): Promise<void> {
    await this.#run((db) =>
      db
        .insertInto("workflows")
        .values({ ...workflow, last_event_seq: 0, head_checksum: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  }

  workflows(): Promise<WorkflowRow[]> {
    return this.#run((db) => db.selectFrom("workflows").selectAll().execute());
  }

  workflow(workflow_id: string): Promise<WorkflowRow | undefined> {
    return this.#run((db) =>
      db.selectFrom("workflows").selectAll().where("workflow_id", "=", workflow_id).executeTakeFirst(),
    );
  }

  get anchor(): Anchor | undefined {
    return this.#dialect.anchor;
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const held = this.#inTransaction();
    if (held) held.ahead = undefined;
    const outcome = await this.#once(() => this.#dialect.write(commit, held));
    if (outcome !== "committed") return outcome;
    if (held) held.committed = commit;
    else this.#noted(commit);
    return outcome;
  }

  /** Notes in the anchor what is durable by now. */
  #noted({ event, ...beside }: Commit): void {
    this.#crashPoint("commit:committed");
    const { workflow_id, event_seq, checksum } = event;
    const entry = { workflow_id, event_seq, checksum, fencing_token: beside.acquire?.fencing_token ?? 0 };
    // A write into the anchor's file costs the next commit a part of its sync: only what acts in the world is worth
    // that.
    const isAlone = Object.values(beside).every((part) => part === undefined);
    this.anchor?.advance(entry, isAlone && !event.event_type.startsWith("step_") ? "soon" : "at once");
  }

  async workflowsWithoutRow(): Promise<{ readonly workflow_id: string; readonly events: number }[]> {
    const found: { readonly workflow_id: string; readonly events: number }[] = [];
    for (const workflow_id of await this.#run(idsWithoutRow)) {
      const { n } = await this.#run((db) =>
        db
          .selectFrom("events")
          .select(({ fn }) => fn.countAll<number | string>().as("n"))
          .where("workflow_id", "=", workflow_id)
          .executeTakeFirstOrThrow(),
      );
      found.push({ workflow_id, events: Number(n) });
    }
    return found;
  }

  createProject(
    workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">,
    rows: () => AsyncIterable<ProjectRows>,
  ): Promise<"created" | "exists"> {
    return this.#once((all) =>
      all
        .transaction()
        .execute(async (db) => {
          if (!(await insertProject(db, { workflow, rows, crashPoint: this.#crashPoint }))) throw new IsThere();
          return "created" as const;
        })
        .catch((error: unknown) => {
          if (error instanceof IsThere) return "exists" as const;
          throw error;
        }),
    );
  }

  async eventsAfter(workflow_id: string, event_seq: number, limit: number): Promise<EventRow[]> {
    const ahead = this.#inTransaction()?.ahead;
    if (ahead?.workflow_id === workflow_id && ahead.after === event_seq && ahead.limit === limit)
      return ahead.rows.map(toEventRow);
    return this.#run((db) => eventsAfter(db, workflow_id, event_seq, limit));
  }

  async eventById(workflow_id: string, event_id: string): Promise<EventRow | undefined> {
    const [found] = await this.#events((db) =>
      selectEvents(db).where("events.event_id", "=", event_id).where("events.workflow_id", "=", workflow_id).execute(),
    );
    return found;
  }

  latestSnapshot(workflow_id: string): Promise<SnapshotRow | undefined> {
    return this.#run((db) => selectLatestSnapshot(db, workflow_id));
  }

  snapshots(workflow_id: string): Promise<SnapshotRow[]> {
    return this.#run((db) => selectSnapshots(db, workflow_id));
  }

  addSnapshot(snapshot: SnapshotRow, keep: number): Promise<SnapshotRow[]> {
    // Not repeated while the database is away: a snapshot only saves time, and its command is written already.
    return this.#once((all) =>
      all.transaction().execute(async (db) => {
        await insertSnapshot(db, snapshot);
        this.#crashPoint("snapshot:row-written");
        return removeSurplus(db, snapshot.workflow_id, keep);
      }),
    );
  }

  removeSnapshots(workflow_id: string): Promise<void> {
    return this.#run((db) => removeAllSnapshots(db, workflow_id));
  }

  lease(workflow_id: string): Promise<LeaseRow | undefined> {
    return this.#run((db) =>
      db.selectFrom("workflow_leases").selectAll().where("workflow_id", "=", workflow_id).executeTakeFirst(),
    );
  }

  async heartbeat({ workflow_id, owner_id, fencing_token, at, lease_expires_at }: Heartbeat): Promise<boolean> {
    const { leaseClock, patience } = this.#dialect;
    const prolong = (): Promise<UpdateResult> =>
      this.#run((db) =>
        db
          .updateTable("workflow_leases")
          .set(prolonged(leaseClock, { at, lease_expires_at }))
          .where("workflow_id", "=", workflow_id)
          .where("owner_id", "=", owner_id)
          .where("fencing_token", "=", fencing_token)
          // A released lease stays released.
          .where(sql<boolean>`heartbeat_at < lease_expires_at`)
          .executeTakeFirst(),
      );
    // An answer that comes after the lease's time is too late.
    const tryMs = (Date.parse(lease_expires_at) - Date.parse(at)) / TRIES_PER_LEASE;
    const { numUpdatedRows } = await (patience ? patience.trying(tryMs, prolong) : prolong());
    return numUpdatedRows === 1n;
  }

  completedSteps(workflow_id: string): Promise<CompletedStepRow[]> {
    return this.#run((db) =>
      db
        .selectFrom("completed_steps")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .orderBy("completed_at")
        .execute(),
    );
  }

  async completedCount(workflow_id: string): Promise<number> {
    const { n } = await this.#run((db) =>
      db
        .selectFrom("completed_steps")
        .select(({ fn }) => fn.countAll<number | string>().as("n"))
        .where("workflow_id", "=", workflow_id)
        .executeTakeFirstOrThrow(),
    );
    return Number(n);
  }

  attempts(workflow_id: string, step_id?: string): Promise<StepAttemptRow[]> {
    return this.#run((db) => {
      const all = db.selectFrom("step_attempts").selectAll().where("workflow_id", "=", workflow_id);
      const some = step_id === undefined ? all : all.where("step_id", "=", step_id);
      return some.orderBy("step_id").orderBy("attempt_id").execute();
    });
  }

  step(workflow_id: string, step_id: string, limit: number): Promise<StepRows> {
    const { stepOfEvent } = this.#dialect.columns;
    return this.#run((db) => stepRows(db, { workflow_id, step_id, limit, stepOfEvent }));
  }

  stepOfKey(workflow_id: string, idempotency_key: string, alsoHarmless: boolean): Promise<string | undefined> {
    const { columns } = this.#dialect;
    return this.#run((db) => stepOfKey(db, { workflow_id, idempotency_key, alsoHarmless, columns }));
  }

  async latestWorkEvent(workflow_id: string, id: string): Promise<EventRow | undefined> {
    const [found] = await this.#events((db) =>
      selectEvents(db)
        .where("events.workflow_id", "=", workflow_id)
        .where(sql<string>`${sql.raw(this.#dialect.columns.itemOfEvent)}`, "=", id)
        .orderBy("events.event_seq", "desc")
        .limit(1)
        .execute(),
    );
    return found;
  }

  result(checksum: string): Promise<string | undefined> {
    return this.#run((db) => selectResult(db, checksum));
  }

  faults(): Promise<string[]> {
    return this.#run(async () => (await this.#dialect.faults?.()) ?? []);
  }

  close(): Promise<void> {
    this.anchor?.flush();
    return this.#dialect.close();
  }

  async #events(read: (db: Db) => Promise<StoredEvent[]>): Promise<EventRow[]> {
    return (await this.#run(read)).map(toEventRow);
  }

  #inTransaction(): Held | undefined {
    const held = this.#held.getStore();
    return held?.isOver === true ? undefined : held;
  }

  /** Runs a request that may be repeated, and repeats it while the database is away; in a transaction only once. */
  #run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const { patience } = this.#dialect;
    // A transaction that broke off cannot be continued.
    return patience && !this.#inTransaction() ? patience.untilAnswered(() => this.#once(work)) : this.#once(work);
  }

  /** Runs work once; again only while SQLite is busy, when nothing was written. Converts the database's errors. */
  async #once<T>(work: (db: Db) => Promise<T>): Promise<T> {
    try {
      const { retryWhileBusy } = this.#dialect;
      const db = this.#inTransaction()?.db ?? this.#db;
      return await (retryWhileBusy ? retryWhileBusy(() => work(db)) : work(db));
    } catch (error) {
      throw this.#dialect.asError(error);
    }
  }
}
