import { ownCommand } from "../../base/commands/own-command.ts";
import { CompiledQuery, type Kysely } from "kysely";
import { continuityError } from "../base/errors.ts";
import { notThere } from "./not-there.ts";
import type { Patience } from "./patience.ts";
import { migrations, POSTGRES_TYPES } from "./rows/schema.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/** Lock that serialises migrations ("occo"). */
const MIGRATION_LOCK = 0x6f63636f;
const LONGEST_MIGRATION_MS = 60 * 60 * 1000;

/** Throws `not-found` unless the schema has the kernel's tables. */
export async function assertThere(db: Kysely<ContinuityTables>, schema: string): Promise<void> {
  const { rows } = await db.executeQuery<{ name: string | null }>(
    CompiledQuery.raw("SELECT to_regclass($1)::text AS name", [`"${schema}".schema_versions`]),
  );
  if (rows[0]?.name) return;
  throw notThere(`schema ${schema}`, "no such schema");
}

/** Creates the schema and its tables, or brings them to this version. Throws `newer` for those of a later version. */
export async function migrate(db: Kysely<ContinuityTables>, schema: string, patience: Patience): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const run = (sql: string): Promise<unknown> => transaction.executeQuery(CompiledQuery.raw(sql));
    await run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    // For the statements of the migrations, which name no schema; until the end of this transaction.
    await run(`SET LOCAL search_path = "${schema}"`);
    await run("CREATE TABLE IF NOT EXISTS schema_versions (version INT NOT NULL)");
    const version = await versionOf(transaction);
    if (version !== undefined && isNewest(version, schema)) return;
    const steps = migrations(POSTGRES_TYPES);
    // The index of a long ledger takes its time.
    for (const statements of steps.slice(version ?? 0))
      for (const statement of statements) await patience.during(LONGEST_MIGRATION_MS, () => run(statement));
    if (version === undefined) await transaction.insertInto("schema_versions").values({ version: NEWEST }).execute();
    else await transaction.updateTable("schema_versions").set({ version: NEWEST }).execute();
  });
}

/** Throws `not-writable` for a schema of an older version, and `newer` for one of a later version. */
export async function assertNewest(db: Kysely<ContinuityTables>, schema: string): Promise<void> {
  if (isNewest((await versionOf(db)) ?? 0, schema)) return;
  throw continuityError("not-writable", {
    expected: `a continuity schema of version ${NEWEST}`,
    found: `an older version in schema ${schema}, opened read-only`,
    todo: `\`${ownCommand("continuity status")}\` brings it to this version.`,
  });
}

const NEWEST = migrations(POSTGRES_TYPES).length;

async function versionOf(db: Kysely<ContinuityTables>): Promise<number | undefined> {
  return (await db.selectFrom("schema_versions").select("version").executeTakeFirst())?.version;
}

/** Returns false for an older version. Throws `newer` for a later one. */
function isNewest(version: number, schema: string): boolean {
  if (version <= NEWEST) return version === NEWEST;
  throw continuityError("newer", {
    expected: `a continuity schema of version ${NEWEST} or older`,
    found: `version ${version} in schema ${schema}`,
    todo: "Use the newer openclaw-integrity that wrote the schema. The schema was not changed.",
  });
}
