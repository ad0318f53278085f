import { expect } from "vitest";
import {
  Continuity,
  type ContinuityStore,
  type Damage,
  type Lease,
  type ObjectStorage,
  type Project,
} from "../../src/continuity/index.ts";
import { injected } from "./injected.ts";
import type { Place, Row } from "./places.ts";

/** A place with a ledger that has something of everything, to be tampered with. */
export interface Ledger {
  readonly place: Place;
  readonly store: ContinuityStore;
  readonly workflow_id: string;
  readonly lease: Lease;
  readonly events: number;
  /** A process that starts now. */
  fresh(): Promise<Project>;
  /** Checks everything, as a process that starts now. */
  damages(): Promise<readonly Damage[]>;
}

export const TABLES = [
  "events",
  "workflows",
  "workflow_leases",
  "snapshots",
  "step_attempts",
  "completed_steps",
  "step_results",
] as const;
export type Table = (typeof TABLES)[number];

/**
 * Makes one: goals, tasks, checkpoints, steps that were completed, resolved, failed and left open, leases. `everyEvents` says how
 * often it has a snapshot.
 */
export async function ledgerIn(
  place: Place,
  { everyEvents, objects }: { readonly everyEvents: number; readonly objects?: ObjectStorage },
): Promise<Ledger> {
  const [store, clock] = [await place.open(), injected(place.kind)];
  const fresh = (): Promise<Project> =>
    new Continuity({
      store,
      ...(objects ? { objects } : {}),
      snapshots: { everyEvents, inlineBytes: objects ? 1 : 1e6, keep: 3 },
      ...clock,
    }).project("p");
  const project = await fresh();
  const { goal_id } = await project.createGoal({ text: "the goal: \u{1F600} \u0001 ä" });
  const tasks = [];
  for (const title of ["first", "second"])
    tasks.push(await project.addTask({ goal_id, title, acceptance_criteria: ["it works"] }));
  const lease = await project.acquireLease({ owner_id: "executor", ttlMs: 3_600_000 });
  for (const { task_id } of tasks) {
    clock.pass(1234);
    await project.startTask({ task_id });
    await project.updateCheckpoint({
      task_id,
      where_we_left_off: "half of it",
      next_step: "the other half",
      needed_context_refs: ["a file"],
    });
    await project.runStep(lease, keyed(`step of ${task_id}`), async () => [
      "the result of",
      task_id,
      "which is too long to be kept with the event: ".repeat(5),
    ]);
    await project.completeTask({ task_id, evidence: "seen" });
  }
  for (const [step_id, outcome] of [
    ["found out", "completed"],
    ["given up", "abandoned"],
  ] as const) {
    clock.pass(1234);
    const lost = await project.steps.begin(lease, keyed(step_id));
    await project.steps.fail(lease, lost, "the connection broke", { mayHaveActed: true });
    const result = outcome === "completed" ? { result: "what was found out" } : {};
    await project.steps.resolve(lease, { step_id, attempt_id: 1, outcome, reason: "looked up", ...result });
  }
  await project.steps.fail(
    lease,
    await project.steps.begin(lease, { step_id: "that fails", step_type: "pure" }),
    "an error",
  );
  await project.steps.begin(lease, { step_id: "left open", step_type: "idempotent" });
  const { workflow_id } = project;
  const { last_event_seq } = (await store.workflow(workflow_id))!;
  for (const table of TABLES) await place.sql(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  return {
    place,
    store,
    workflow_id,
    lease,
    events: last_event_seq,
    fresh,
    damages: async () => (await (await fresh()).verify()).damages,
  };
}

/** A step that must not happen twice, with a key of its own. */
export function keyed<Name extends string>(
  step_id: Name,
): { readonly step_id: Name; readonly step_type: "non_idempotent"; readonly idempotency_key: string } {
  return { step_id, step_type: "non_idempotent", idempotency_key: `key of ${step_id}` };
}

/** A value as text, as it is in a column. */
export async function readColumn({ place }: Ledger, table: Table, column: string, where: string): Promise<string> {
  const cast = place.kind === "postgres" ? `"${column}"::text` : `CAST("${column}" AS TEXT)`;
  return String((await place.sql(`SELECT ${cast} AS value FROM ${table} WHERE ${where}`))[0]!["value"]);
}

/**
 * Changes one byte of a column (in PostgreSQL one character: it holds nothing else), calls `work`, and puts everything
 * back as it was. False when the database does not take the value, or takes it for the same as before: then `work` was
 * not called.
 */
export async function withChangedByte(
  ledger: Ledger,
  { table, column, where, at, mask }: { table: Table; column: string; where: string; at: number; mask: number },
  work: () => Promise<void>,
): Promise<boolean> {
  const { place } = ledger;
  const type = place.kind === "postgres" || WHOLE_NUMBERS.has(column) ? await readType(place, table, column) : "any";
  const changed = spoiled(await readColumn(ledger, table, column, where), at, mask, type);
  const value = place.kind === "sqlite" ? "CAST(? AS TEXT)" : `(?::text)::${type}`;
  try {
    const isTaken = await isTakenBy(
      place,
      `UPDATE ${table} SET "${column}" = ${value} WHERE ${where}`,
      place.kind === "sqlite" ? changed : changed.toString("utf8"),
    );
    if (!isTaken || meaning(await everything(place, table)) === meaning(await everything(place, `kept_${table}`)))
      return false;
    await work();
    return true;
  } finally {
    await putBack(place, table);
  }
}

/** Carries statements out, calls `work`, and puts the tables back as they were. */
export async function withStatements(
  { place }: Ledger,
  tables: readonly Table[],
  statements: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    for (const statement of statements) await place.sql(statement);
    await work();
  } finally {
    for (const table of tables) await putBack(place, table);
  }
}

/** Nothing is executed, and nothing is written, on a ledger that was tampered with where restoring reads it. */
export async function expectClosed(ledger: Ledger, step_id = "a new step"): Promise<void> {
  const { events, place, lease } = ledger;
  let executed = false;
  const project = await ledger.fresh();
  const attempts: Promise<unknown>[] = [
    project.state(),
    project.createGoal({ text: "g" }),
    project.runStep(lease, { step_id, step_type: "pure" }, async () => {
      executed = true;
      return null;
    }),
  ];
  for (const attempt of attempts)
    await expect(attempt).rejects.toMatchObject({
      name: "ContinuityError",
      code: "damaged",
      message: expect.stringMatching(/^expected .*; found .*(?:Nothing was executed|continuity restore)/s),
    });
  expect([
    executed,
    (await place.sql("SELECT count(*) AS n FROM events")).map(({ n }) => Number(n))[0]! <= events,
  ]).toEqual([false, true]);
}

const WHOLE_NUMBERS: ReadonlySet<string> = new Set(["event_seq", "last_event_seq", "step_number", "attempt_id"]);

/** Any other byte, but such as the type can hold where the database looks at it. */
function spoiled(text: string, at: number, mask: number, type: string): Buffer {
  const bytes = Buffer.from(text);
  const place = at % bytes.length;
  const alphabet = pickAlphabet(type);
  if (alphabet === undefined) bytes[place]! ^= mask;
  else {
    const others = [...alphabet].filter((one) => one.charCodeAt(0) !== bytes[place]);
    bytes[place] = others[mask % others.length]!.charCodeAt(0);
  }
  return bytes;
}

function pickAlphabet(type: string): string | undefined {
  if (type === "any") return undefined;
  if (type === "uuid") return "0123456789abcdef";
  if (/int|time/.test(type)) return "0123456789";
  return Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");
}

/** What the database itself refuses cannot be tampered with that way. */
async function isTakenBy(place: Place, statement: string, value: string | Buffer): Promise<boolean> {
  try {
    await place.sql(statement, value);
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "ERR_SQLITE_ERROR" || (typeof code === "string" && /^(?:22|23)/.test(code))) return false;
    throw error;
  }
}

async function readType(place: Place, table: Table, column: string): Promise<string> {
  if (place.kind === "sqlite") return "int";
  return String(
    (
      await place.sql(
        "SELECT data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ? AND column_name = ?",
        table,
        column,
      )
    )[0]!["data_type"],
  );
}

/** All rows of a table, in PostgreSQL as it writes them itself: its client's times have no microseconds. */
async function everything(place: Place, table: string): Promise<Row[]> {
  return place.sql(place.kind === "sqlite" ? `SELECT * FROM ${table}` : `SELECT (t.*)::text AS row FROM ${table} t`);
}

async function putBack(place: Place, table: Table): Promise<void> {
  await place.sql(`DELETE FROM ${table}`);
  await place.sql(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
}

/** What the rows say: JSON that reads the same is the same. */
function meaning(rows: readonly Row[]): string {
  return rows
    .map((row) => JSON.stringify(Object.values(row).map(read)))
    .toSorted()
    .join("\n");
}

function read(value: unknown): unknown {
  try {
    return typeof value === "string" && value.startsWith("{") ? (JSON.parse(value) as unknown) : value;
  } catch {
    return value;
  }
}
