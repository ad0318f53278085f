import { importFrom } from "./openclaw-sessions.ts";

/** OpenClaw's own connection to the database of an agent. */
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

/** Several writes of OpenClaw's own into the database of an agent as one transaction: all of them or none. */
export type Atomically = <Value>(agentId: string, work: () => Value) => Promise<Value>;

/** Takes up what transactions need of the OpenClaw in `root`. Throws when it does not have it (before 2026.9). */
export async function loadTransactions(root: string): Promise<Atomically> {
  const { withOpenClawAgentDatabaseWrite: write, runSqliteImmediateTransactionSync: run } =
    await importFrom<SqliteRuntime>(root, "openclaw/plugin-sdk/sqlite-runtime");
  if (typeof write !== "function" || typeof run !== "function")
    throw new Error(`the OpenClaw in ${root} offers no transactions to plugins`);
  return async <Value>(agentId: string, work: () => Value) =>
    (await write({ agentId }, ({ db }) => run(db, work))) as Value;
}
