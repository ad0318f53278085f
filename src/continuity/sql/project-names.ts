/**
 * Reads the names of a store's projects without opening the store: nothing is created or migrated. Oldest first; an
 * empty list when they cannot be read.
 */
import { existsSync } from "node:fs";
import pg from "pg";
import { nodeSqlite } from "../../base/node-sqlite.ts";
import { readPostgresAddress } from "./postgres-address.ts";

export function projectNamesInFile(file: string): string[] {
  const sqlite = nodeSqlite();
  if (!sqlite || !existsSync(file)) return [];
  try {
    const database = new sqlite.DatabaseSync(file, { readOnly: true });
    try {
      return database
        .prepare("SELECT project_id FROM workflows ORDER BY created_at")
        .all()
        .map((row) => String(row["project_id"]));
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}

export async function projectNamesInSchema(address: string, schema: string): Promise<string[]> {
  const { connectionString, connectTimeoutMs } = readPostgresAddress(address);
  const client = new pg.Client({
    ...(connectionString === undefined ? {} : { connectionString }),
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ project_id: string }>(
      `SELECT project_id FROM ${client.escapeIdentifier(schema)}.workflows ORDER BY created_at`,
    );
    return rows.map(({ project_id }) => project_id);
  } catch {
    return [];
  } finally {
    await client.end().catch(() => undefined);
  }
}
