import { AsyncLocalStorage } from "node:async_hooks";
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql, type Transaction } from "kysely";
import { storedPayload, wholePayload } from "./event-payload.ts";
import type { ColumnTypes } from "./schema.ts";
import type {
  Commit,
  CommitOutcome,
  CompletedStepRow,
  ContinuityStore,
  EventRow,
  Heartbeat,
  LeaseClock,
  LeaseRow,
  SnapshotRow,
  StepAttemptRow,
  WorkflowRow,
} from "../ledger/store.ts";
import type { Patience } from "./patience.ts";
import { idsWithoutRow } from "./ids-without-row.ts";
import type { ContinuityTables } from "./tables.ts";

/** The differences between the two databases. */
export interface Dialect {
  /** Converts the database's error to a ContinuityError. */
  readonly asError: (error: unknown) => unknown;
  /**
   * Writes the rows of a commit that it can write with fewer round trips than a transaction; in the given transaction, if
   * there is one. Undefined for rows that it cannot write.
   */
  readonly commitRows: (commit: Commit, transaction?: Db) => Promise<CommitOutcome> | undefined;
  /** The step, and the goal or task, that an event belongs to, as SQL. */
  readonly columns: Pick<ColumnTypes, "stepOfEvent" | "itemOfEvent">;
  readonly leaseClock: LeaseClock;
  /** Whether a transaction can hold back the other writers of one workflow. */
  readonly isLocking: boolean;
  /** For a database that may be away for a while. */
  readonly patience?: Patience;
  /** What the database itself finds wrong in its file, where it has such a check. */
  readonly faults?: () => Promise<string[]>;
  /** Runs work, and retries while the database is busy; failed work has written nothing. */
  readonly retryWhileBusy?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

type Db = Kysely<ContinuityTables>;

/** A transaction that holds a workflow, and that every request in its work goes through. */
interface Held {
  readonly db: Transaction<ContinuityTables>;
  isOver: boolean;
  /** A commit in it was abandoned in the middle. */
  isSpoilt: boolean;
}

/** Ends a transaction without a write; not an error. */
class Abandoned extends Error {
  readonly outcome: CommitOutcome;

  constructor(outcome: CommitOutcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** The store on kysely, with SQL that both SQLite and PostgreSQL understand. */
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

  patiently<T>(work: () => Promise<T>): Promise<T> {
    const { patience } = this.#dialect;
    return patience ? patience.together(work) : work();
  }

  async mayRepeat(tries: number): Promise<boolean> {
    return (await this.#dialect.patience?.pause(tries)) ?? false;
  }

  async exclusively<T>(workflow_id: string, work: () => Promise<T>): Promise<T> {
    if (!this.#dialect.isLocking) return work();
    let value: { readonly of: T } | undefined;
    return this.#once((db) =>
      db
        .transaction()
        .execute(async (transaction) => {
          // Whoever comes next waits for this row, in the order in which they came.
          await transaction
            .selectFrom("workflows")
            .select("workflow_id")
            .where("workflow_id", "=", workflow_id)
            .forUpdate()
            .execute();
          const held: Held = { db: transaction, isOver: false, isSpoilt: false };
          try {
            value = { of: await this.#held.run(held, work) };
          } finally {
            held.isOver = true;
          }
          if (held.isSpoilt) throw new Abandoned("stale");
          return value.of;
        })
        .catch((error: unknown) => {
          if (error instanceof Abandoned && value) return value.of;
          throw error;
        }),
    );
  }

  async ensureWorkflow(workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">): Promise<void> {
    await this.#run((db) =>
      db
        .insertInto("workflows")
        .values({ ...workflow, last_event_seq: 0, head_checksum: null, base_event_seq: 0 })
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

  async commit(commit: Commit): Promise<CommitOutcome> {
    const held = this.#inTransaction();
    return this.#once((db) => {
      const written = this.#dialect.commitRows(commit, held?.db);
      if (written) return written;
      const done = held
        ? this.#write(held.db, commit)
        : db.transaction().execute((transaction) => this.#write(transaction, commit));
      return done.catch((error: unknown) => {
        if (!(error instanceof Abandoned)) throw error;
        if (held) held.isSpoilt = true;
        return error.outcome;
      });
    });
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

  async #write(
    db: Transaction<ContinuityTables>,
    { event, acquire, takeOverFrom, release, attempt, completion, result, prune }: Commit,
  ): Promise<CommitOutcome> {
    const { workflow_id, event_seq, checksum } = event;
    // The position is allocated and the row of the workflow is locked by one statement: whoever comes second finds no
    // row.
    const head = await db
      .updateTable("workflows")
      .set({ last_event_seq: event_seq, head_checksum: checksum })
      .where("workflow_id", "=", workflow_id)
      .where("last_event_seq", "=", event_seq - 1)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("events").select("event_id").where("event_id", "=", event.event_id))),
      )
      .executeTakeFirst();
    if (head.numUpdatedRows !== 1n) throw new Abandoned("stale");
    await db
      .insertInto("events")
      .values({ ...event, payload: storedPayload(event) })
      .execute();
    this.#crashPoint("commit:event-written");
    if (acquire && !(await takeLease(db, acquire, takeOverFrom, this.#dialect.leaseClock)))
      throw new Abandoned("lease-held");
    if (release) {
      const at = this.#dialect.leaseClock === "database" ? NOW : release.at;
      await db
        .updateTable("workflow_leases")
        .set({ heartbeat_at: at, lease_expires_at: at })
        .where("workflow_id", "=", workflow_id)
        .where("fencing_token", "=", release.fencing_token)
        .execute();
    }
    if (attempt) await db.insertInto("step_attempts").values(attempt).execute();
    if (result)
      await db
        .insertInto("step_results")
        .values(result)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    if (completion) await db.insertInto("completed_steps").values(completion).execute();
    if (prune) await removeBefore(db, prune);
    this.#crashPoint("commit:all-written");
    return "committed";
  }

  eventsAfter(workflow_id: string, event_seq: number, limit: number): Promise<EventRow[]> {
    return this.#events((db) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .where("event_seq", ">", event_seq)
        .orderBy("event_seq")
        .limit(limit)
        .execute(),
    );
  }

  async eventById(workflow_id: string, event_id: string): Promise<EventRow | undefined> {
    const [found] = await this.#events((db) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("event_id", "=", event_id)
        .where("workflow_id", "=", workflow_id)
        .execute(),
    );
    return found;
  }

  latestSnapshot(workflow_id: string): Promise<SnapshotRow | undefined> {
    return this.#run((db) =>
      db
        .selectFrom("snapshots")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .orderBy("last_event_seq", "desc")
        .limit(1)
        .executeTakeFirst(),
    );
  }

  snapshots(workflow_id: string): Promise<SnapshotRow[]> {
    return this.#run((db) =>
      db.selectFrom("snapshots").selectAll().where("workflow_id", "=", workflow_id).orderBy("last_event_seq").execute(),
    );
  }

  addSnapshot(snapshot: SnapshotRow, keep: number): Promise<SnapshotRow[]> {
    const { workflow_id } = snapshot;
    // Once: a snapshot only saves time, and the command before it has been written.
    return this.#once((all) =>
      all.transaction().execute(async (db) => {
        await db
          .insertInto("snapshots")
          .values(snapshot)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        this.#crashPoint("snapshot:row-written");
        // Another process may have pruned the ledger since this position.
        await db
          .deleteFrom("snapshots")
          .where("workflow_id", "=", workflow_id)
          .where("last_event_seq", "<", baseOf(db, workflow_id))
          .execute();
        const surplus = await db
          .selectFrom("snapshots")
          .selectAll()
          .where("workflow_id", "=", workflow_id)
          .where("last_event_seq", "<>", baseOf(db, workflow_id))
          .orderBy("last_event_seq", "desc")
          .limit(1000)
          .offset(keep)
          .execute();
        if (surplus.length > 0)
          await db
            .deleteFrom("snapshots")
            .where(
              "snapshot_id",
              "in",
              surplus.map(({ snapshot_id }) => snapshot_id),
            )
            .execute();
        return surplus;
      }),
    );
  }

  async removeSnapshots(workflow_id: string): Promise<void> {
    await this.#run((db) =>
      db
        .deleteFrom("snapshots")
        .where("workflow_id", "=", workflow_id)
        .where("last_event_seq", "<>", baseOf(db, workflow_id))
        .execute(),
    );
  }

  lease(workflow_id: string): Promise<LeaseRow | undefined> {
    return this.#run((db) =>
      db.selectFrom("workflow_leases").selectAll().where("workflow_id", "=", workflow_id).executeTakeFirst(),
    );
  }

  async heartbeat({ workflow_id, owner_id, fencing_token, at, lease_expires_at }: Heartbeat): Promise<boolean> {
    const isDatabases = this.#dialect.leaseClock === "database";
    const { numUpdatedRows } = await this.#run((db) =>
      db
        .updateTable("workflow_leases")
        .set(
          isDatabases
            ? { heartbeat_at: NOW, lease_expires_at: ahead(at, lease_expires_at) }
            : { heartbeat_at: at, lease_expires_at },
        )
        .where("workflow_id", "=", workflow_id)
        .where("owner_id", "=", owner_id)
        .where("fencing_token", "=", fencing_token)
        // A released lease stays released.
        .where(sql<boolean>`heartbeat_at < lease_expires_at`)
        .executeTakeFirst(),
    );
    return numUpdatedRows === 1n;
  }

  latestAttempt(workflow_id: string, step_id: string): Promise<StepAttemptRow | undefined> {
    return this.#run((db) =>
      db
        .selectFrom("step_attempts")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .where("step_id", "=", step_id)
        .orderBy("attempt_id", "desc")
        .limit(1)
        .executeTakeFirst(),
    );
  }

  completedStep(workflow_id: string, step_id: string): Promise<CompletedStepRow | undefined> {
    return this.#run((db) =>
      db
        .selectFrom("completed_steps")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .where("step_id", "=", step_id)
        .executeTakeFirst(),
    );
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

  stepEvents(workflow_id: string, step_id: string, limit: number): Promise<EventRow[]> {
    return this.#eventsOf("stepOfEvent", workflow_id, step_id, limit);
  }

  async latestWorkEvent(workflow_id: string, id: string): Promise<EventRow | undefined> {
    return (await this.#eventsOf("itemOfEvent", workflow_id, id, 1))[0];
  }

  #eventsOf(column: keyof Dialect["columns"], workflow_id: string, id: string, limit: number): Promise<EventRow[]> {
    const of = sql<string>`${sql.raw(this.#dialect.columns[column])}`;
    return this.#events((db) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .where(of, "=", id)
        .orderBy("event_seq", "desc")
        .limit(limit)
        .execute(),
    );
  }

  async result(checksum: string): Promise<string | undefined> {
    return (
      await this.#run((db) =>
        db.selectFrom("step_results").select("content").where("checksum", "=", checksum).executeTakeFirst(),
      )
    )?.content;
  }

  faults(): Promise<string[]> {
    return this.#run(async () => (await this.#dialect.faults?.()) ?? []);
  }

  close(): Promise<void> {
    return this.#dialect.close();
  }

  async #events(read: (db: Db) => Promise<EventRow[]>): Promise<EventRow[]> {
    return (await this.#run(read)).map((row) => ({ ...row, payload: wholePayload(row) }));
  }

  #inTransaction(): Held | undefined {
    const held = this.#held.getStore();
    return held?.isOver === true ? undefined : held;
  }

  /** Reads, or writes what may be written twice. */
  #run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const { patience } = this.#dialect;
    // A transaction that broke off cannot be continued.
    return patience && !this.#inTransaction() ? patience.untilAnswered(() => this.#once(work)) : this.#once(work);
  }

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

/** The position on which a ledger begins, as a query. */
function baseOf(
  db: Kysely<ContinuityTables>,
  workflow_id: string,
): SelectQueryBuilder<ContinuityTables, "workflows", { base_event_seq: number }> {
  return db.selectFrom("workflows").select("base_event_seq").where("workflow_id", "=", workflow_id);
}

async function removeBefore(db: Transaction<ContinuityTables>, snapshot: SnapshotRow): Promise<void> {
  const { workflow_id, last_event_seq } = snapshot;
  await db
    .insertInto("snapshots")
    .values(snapshot)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .deleteFrom("snapshots")
    .where("workflow_id", "=", workflow_id)
    .where("last_event_seq", "<", last_event_seq)
    .execute();
  await db
    .deleteFrom("events")
    .where("workflow_id", "=", workflow_id)
    .where("event_seq", "<", last_event_seq)
    // Who created a project is read from its first event.
    .where("event_seq", ">", 1)
    .where("event_type", "not like", "step%")
    .execute();
  await db
    .updateTable("workflows")
    .set({ base_event_seq: last_event_seq })
    .where("workflow_id", "=", workflow_id)
    .execute();
}

/**
 * The database's time, when the statement came. One time in the whole statement; never later than when the statement is
 * carried out, so that a lease does not end earlier for others than for its holder.
 */
const NOW = sql<string>`date_trunc('milliseconds', statement_timestamp())`;

/** The database's time, as much later as `to` is than `from`. */
function ahead(from: string, to: string): RawBuilder<string> {
  const milliseconds = Date.parse(to) - Date.parse(from);
  return sql<string>`date_trunc('milliseconds', statement_timestamp()) + ${milliseconds} * interval '1 millisecond'`;
}

/**
 * Gives the lease to one owner; one statement, so that of two only one gets it. The row stays, with a token that only
 * grows, until the project is removed.
 */
async function takeLease(
  db: Transaction<ContinuityTables>,
  lease: LeaseRow,
  takeOverFrom: string | undefined,
  clock: LeaseClock,
): Promise<boolean> {
  const times =
    clock === "database"
      ? { acquired_at: NOW, heartbeat_at: NOW, lease_expires_at: ahead(lease.acquired_at, lease.lease_expires_at) }
      : {};
  const { workflow_id, ...columns } = lease;
  const taken = await db
    .insertInto("workflow_leases")
    .values({ ...lease, ...times })
    .onConflict((conflict) =>
      conflict
        .column("workflow_id")
        .doUpdateSet({ ...columns, ...times })
        .where(({ eb, or }) =>
          or([
            eb("workflow_leases.lease_expires_at", "<=", clock === "database" ? NOW : lease.acquired_at),
            ...(takeOverFrom === undefined ? [] : [eb("workflow_leases.owner_id", "=", takeOverFrom)]),
          ]),
        )
        .where("workflow_leases.fencing_token", "<", lease.fencing_token),
    )
    .returning("workflow_id")
    .executeTakeFirst();
  return taken?.workflow_id === workflow_id;
}
