import { importFrom } from "./openclaw-sessions.ts";

/** OpenClaw's connection to an agent's database. */
interface AgentDatabase {
  readonly db: object;
}

interface SqliteRuntime {
  withOpenClawAgentDatabaseWrite(
    options: { readonly agentId: string },
    operation: (database: AgentDatabase) => unknown,
  ): Promise<unknown>;
  runSqliteImmediateTransactionSync(db: object, operation: () => unknown): unknown;
}

/** Runs several writes of OpenClaw to an agent's database as one transaction: all of them or none. */
export type Atomically = <Value>(agentId: string, work: () => Value) => Promise<Value>;

/** Loads the transaction functions of the OpenClaw in `root`. Throws when it has none (before 2026.9). */
export async function loadTransactions(root: string): Promise<Atomically> {
  const { withOpenClawAgentDatabaseWrite: write, runSqliteImmediateTransactionSync: run } =
    await importFrom<SqliteRuntime>(root, "openclaw/plugin-sdk/sqlite-runtime");
  if (typeof write !== "function" || typeof run !== "function")
    throw new Error(`the OpenClaw in ${root} offers no transactions to plugins`);
  return async <Value>(agentId: string, work: () => Value) =>
    (await write({ agentId }, ({ db }) => run(db, work))) as Value;
}
