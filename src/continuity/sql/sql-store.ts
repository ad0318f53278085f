import { type Kysely, sql, type Transaction } from "kysely";
import type { Anchor } from "../ledger/anchor.ts";
import type {
  Commit,
  CommitOutcome,
  CompletedStepRow,
  ContinuityStore,
  EventRow,
  Heartbeat,
  LeaseRow,
  ProjectReader,
  ProjectRows,
  SnapshotRow,
  StepAttemptRow,
  WorkflowRow,
} from "../ledger/store.ts";
import type { ContinuityTables } from "./tables.ts";

/** The differences between the two databases. */
export interface Dialect {
  /** Converts the database's error to a ContinuityError. */
  readonly asError: (error: unknown) => unknown;
  /** Writes a commit that has only an event, with fewer round trips than a transaction. */
  readonly commitEvent: (event: EventRow) => Promise<CommitOutcome>;
  /** The step that an event belongs to, as SQL; see `ColumnTypes`. */
  readonly stepOfEvent: string;
  /** What the database finds wrong in its file, where it has such a check. */
  readonly faults?: () => Promise<string[]>;
  /** Notes the end of each ledger outside of the database. */
  readonly anchor?: Anchor | undefined;
  /** Runs work, and retries while the database is busy; failed work has written nothing. */
  readonly retryWhileBusy?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Ends a transaction without a write; not an error. */
class Abandoned extends Error {
  readonly outcome: CommitOutcome | "exists";

  constructor(outcome: CommitOutcome | "exists") {
    super(outcome);
    this.outcome = outcome;
  }
}

/** The store on kysely, with SQL that both SQLite and PostgreSQL understand. */
export class SqlStore implements ContinuityStore {
  readonly #db: Kysely<ContinuityTables>;
  readonly #dialect: Dialect;
  readonly #crashPoint: (name: string) => void;

  constructor(db: Kysely<ContinuityTables>, dialect: Dialect, crashPoint: (name: string) => void) {
    this.#db = db;
    this.#dialect = dialect;
    this.#crashPoint = crashPoint;
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
    const { event, ...beside } = commit;
    const { commitEvent } = this.#dialect;
    const isAlone = Object.values(beside).every((part) => part === undefined);
    const outcome = await (isAlone
      ? this.#run(() => commitEvent(event))
      : this.#transaction((db) => this.#write(db, commit)));
    if (outcome !== "committed") return outcome;
    this.#crashPoint("commit:committed");
    const { workflow_id, event_seq, checksum } = event;
    const entry = { workflow_id, event_seq, checksum, fencing_token: commit.acquire?.fencing_token ?? 0 };
    // A write into the anchor's file costs the next commit a part of its sync: only what acts in the world is worth that.
    this.anchor?.advance(entry, isAlone && !event.event_type.startsWith("step_") ? "soon" : "at once");
    return outcome;
  }

  /** Runs work in one transaction; work that throws Abandoned writes nothing, and its outcome is returned. */
  #transaction<Outcome extends string>(
    work: (db: Transaction<ContinuityTables>) => Promise<Outcome>,
  ): Promise<Outcome> {
    return this.#run((all) =>
      all
        .transaction()
        .execute(work)
        .catch((error: unknown) => {
          if (error instanceof Abandoned) return error.outcome as Outcome;
          throw error;
        }),
    );
  }

  createProject(
    workflow: Pick<WorkflowRow, "workflow_id" | "project_id" | "created_at">,
    rows: (reader: ProjectReader) => AsyncIterable<ProjectRows>,
  ): Promise<"created" | "exists"> {
    const { workflow_id, project_id, created_at } = workflow;
    return this.#transaction<"created" | "exists">(async (db) => {
      await db
        .insertInto("workflows")
        .values({ workflow_id, project_id, created_at, last_event_seq: 0, head_checksum: null })
        .onConflict((conflict) => conflict.column("workflow_id").doNothing())
        .execute();
      // Locks the row: whoever else writes the first event waits, and is stale then.
      const empty = await db
        .updateTable("workflows")
        .set({ created_at })
        .where("workflow_id", "=", workflow_id)
        .where("last_event_seq", "=", 0)
        .executeTakeFirst();
      if (empty.numUpdatedRows !== 1n) throw new Abandoned("exists");
      let head: EventRow | undefined;
      const reader: ProjectReader = {
        eventsAfter: (of, event_seq, limit) => eventsAfter(db, of, event_seq, limit),
        result: (checksum) => resultOf(db, checksum),
      };
      for await (const page of rows(reader)) {
        await insertPage(db, page);
        head = page.events.at(-1) ?? head;
        this.#crashPoint("project:page-written");
      }
      if (head)
        await db
          .updateTable("workflows")
          .set({ last_event_seq: head.event_seq, head_checksum: head.checksum })
          .where("workflow_id", "=", workflow_id)
          .execute();
      this.#crashPoint("project:all-written");
      return "created";
    });
  }

  async #write(
    db: Transaction<ContinuityTables>,
    { event, acquire, takeOverFrom, release, attempt, completion, result }: Commit,
  ): Promise<CommitOutcome> {
    const { workflow_id, event_seq, checksum } = event;
    // The position is allocated and the row of the workflow is locked by one statement: whoever comes second finds no
    // row.
    const head = await db
      .updateTable("workflows")
      .set({ last_event_seq: event_seq, head_checksum: checksum })
      .where("workflow_id", "=", workflow_id)
      .where("last_event_seq", "=", event_seq - 1)
      .executeTakeFirst();
    if (head.numUpdatedRows !== 1n) throw new Abandoned("stale");
    await db.insertInto("events").values(event).execute();
    this.#crashPoint("commit:event-written");
    if (acquire && !(await takeLease(db, acquire, takeOverFrom))) throw new Abandoned("lease-held");
    if (release) {
      await db
        .updateTable("workflow_leases")
        .set({ heartbeat_at: release.at, lease_expires_at: release.at })
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
    this.#crashPoint("commit:all-written");
    return "committed";
  }

  eventsAfter(workflow_id: string, event_seq: number, limit: number): Promise<EventRow[]> {
    return this.#run((db) => eventsAfter(db, workflow_id, event_seq, limit));
  }

  eventById(workflow_id: string, event_id: string): Promise<EventRow | undefined> {
    return this.#run((db) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("event_id", "=", event_id)
        .where("workflow_id", "=", workflow_id)
        .executeTakeFirst(),
    );
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
    return this.#run((all) =>
      all.transaction().execute(async (db) => {
        await db
          .insertInto("snapshots")
          .values(snapshot)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        this.#crashPoint("snapshot:row-written");
        const surplus = await db
          .selectFrom("snapshots")
          .selectAll()
          .where("workflow_id", "=", workflow_id)
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
    await this.#run((db) => db.deleteFrom("snapshots").where("workflow_id", "=", workflow_id).execute());
  }

  lease(workflow_id: string): Promise<LeaseRow | undefined> {
    return this.#run((db) =>
      db.selectFrom("workflow_leases").selectAll().where("workflow_id", "=", workflow_id).executeTakeFirst(),
    );
  }

  async heartbeat({ workflow_id, owner_id, fencing_token, at, lease_expires_at }: Heartbeat): Promise<boolean> {
    const { numUpdatedRows } = await this.#run((db) =>
      db
        .updateTable("workflow_leases")
        .set({ heartbeat_at: at, lease_expires_at })
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
    const stepOfEvent = sql<string>`${sql.raw(this.#dialect.stepOfEvent)}`;
    return this.#run((db) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("workflow_id", "=", workflow_id)
        .where(stepOfEvent, "=", step_id)
        .orderBy("event_seq", "desc")
        .limit(limit)
        .execute(),
    );
  }

  result(checksum: string): Promise<string | undefined> {
    return this.#run((db) => resultOf(db, checksum));
  }

  faults(): Promise<string[]> {
    return this.#run(async () => (await this.#dialect.faults?.()) ?? []);
  }

  close(): Promise<void> {
    this.anchor?.flush();
    return this.#dialect.close();
  }

  async #run<T>(work: (db: Kysely<ContinuityTables>) => Promise<T>): Promise<T> {
    try {
      const { retryWhileBusy } = this.#dialect;
      return await (retryWhileBusy ? retryWhileBusy(() => work(this.#db)) : work(this.#db));
    } catch (error) {
      throw this.#dialect.asError(error);
    }
  }
}

/**
 * Gives the lease to one owner; one statement, so that of two only one gets it. The row stays, with a token that only
 * grows, until the project is removed.
 */
async function takeLease(
  db: Transaction<ContinuityTables>,
  lease: LeaseRow,
  takeOverFrom: string | undefined,
): Promise<boolean> {
  const { workflow_id, ...columns } = lease;
  const taken = await db
    .insertInto("workflow_leases")
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .column("workflow_id")
        .doUpdateSet(columns)
        .where(({ eb, or }) =>
          or([
            eb("workflow_leases.lease_expires_at", "<=", lease.acquired_at),
            ...(takeOverFrom === undefined ? [] : [eb("workflow_leases.owner_id", "=", takeOverFrom)]),
          ]),
        )
        .where("workflow_leases.fencing_token", "<", lease.fencing_token),
    )
    .returning("workflow_id")
    .executeTakeFirst();
  return taken?.workflow_id === workflow_id;
}

function eventsAfter(
  db: Kysely<ContinuityTables>,
  workflow_id: string,
  event_seq: number,
  limit: number,
): Promise<EventRow[]> {
  return db
    .selectFrom("events")
    .selectAll()
    .where("workflow_id", "=", workflow_id)
    .where("event_seq", ">", event_seq)
    .orderBy("event_seq")
    .limit(limit)
    .execute();
}

async function resultOf(db: Kysely<ContinuityTables>, checksum: string): Promise<string | undefined> {
  const row = await db.selectFrom("step_results").select("content").where("checksum", "=", checksum).executeTakeFirst();
  return row?.content;
}

/** Equal results share a row. */
async function insertPage(
  db: Transaction<ContinuityTables>,
  { events, attempts, completions, results, lease }: ProjectRows,
): Promise<void> {
  if (events.length > 0) await db.insertInto("events").values(events).execute();
  if (results.length > 0)
    await db
      .insertInto("step_results")
      .values(results)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (attempts.length > 0) await db.insertInto("step_attempts").values(attempts).execute();
  if (completions.length > 0) await db.insertInto("completed_steps").values(completions).execute();
  if (lease) await db.insertInto("workflow_leases").values(lease).execute();
}
