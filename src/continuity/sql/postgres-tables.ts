import { CompiledQuery, type Kysely } from "kysely";
import { continuityError } from "../base/errors.ts";
import { notThere } from "./not-there.ts";
import { createStatements, POSTGRES_TYPES, TABLES_VERSION } from "./rows/schema.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/** Lock that serialises those who create the tables ("occo"). */
const CREATING_LOCK = 0x6f63636f;

/** Throws `not-found` unless the schema has the kernel's tables. */
export async function assertThere(db: Kysely<ContinuityTables>, schema: string): Promise<void> {
  const { rows } = await db.executeQuery<{ name: string | null }>(
    CompiledQuery.raw("SELECT to_regclass($1)::text AS name", [`"${schema}".schema_versions`]),
  );
  if (rows[0]?.name) return;
  throw notThere(`schema ${schema}`, "no such schema");
}

/** Creates the schema and its tables unless they are there. Throws `newer` for those of a later version. */
export async function createTables(db: Kysely<ContinuityTables>, schema: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const run = (sql: string): Promise<unknown> => transaction.executeQuery(CompiledQuery.raw(sql));
    await run(`SELECT pg_advisory_xact_lock(${CREATING_LOCK})`);
    await run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    // For the statements that create the tables, which name no schema; until the end of this transaction.
    await run(`SET LOCAL search_path = "${schema}"`);
    await run("CREATE TABLE IF NOT EXISTS schema_versions (version INT NOT NULL)");
    if ((await readVersion(transaction, schema)) !== undefined) return;
    for (const statement of createStatements(POSTGRES_TYPES)) await run(statement);
    await transaction.insertInto("schema_versions").values({ version: TABLES_VERSION }).execute();
  });
}

/** Returns the version of the tables; undefined before they are created. Throws `newer` for a later one. */
export async function readVersion(db: Kysely<ContinuityTables>, schema: string): Promise<number | undefined> {
  const row = await db.selectFrom("schema_versions").select("version").executeTakeFirst();
  if (row && row.version > TABLES_VERSION)
    throw continuityError("newer", {
      expected: `a continuity schema of version ${TABLES_VERSION}`,
      found: `version ${row.version} in schema ${schema}`,
      todo: "Use the newer openclaw-integrity that wrote the schema. The schema was not changed.",
    });
  return row?.version;
}
