/**
 * Steps of a ledger that DBOS Transact executes (`@dbos-inc/dbos-sdk`, an optional peer dependency): durable sleep,
 * retries, queues, schedules and recovery by any host are DBOS's; goals, tasks, checkpoints, the next step and the
 * ledger stay the kernel's. Documented in docs/continuity.md.
 */
import type { Continuity } from "../continuity.ts";
import { DbosEngine } from "./engine.ts";
import { type DbosSdk, loadDbos } from "./sdk.ts";

export type { DbosEngine, DbosRecovery } from "./engine.ts";
export type { DbosExecution, DbosStep, DbosStepHandle, StepBody } from "./step.ts";
export type { DbosHandle, DbosSdk, DbosStartOptions, DbosStatus } from "./sdk.ts";

/**
 * Returns the engine that executes steps of these projects by DBOS Transact. `DBOS` is the class of
 * `@dbos-inc/dbos-sdk`; without it, the package that is installed beside this one. Throws `no-engine` when there is
 * none of version 5.
 *
 * @example Not run: it needs a PostgreSQL server.
 * ```ts no-run
 * import { DBOS } from "@dbos-inc/dbos-sdk";
 * import { Continuity, isGone, openPostgresStore, processOwner } from "openclaw-integrity/continuity";
 * import { openDbosEngine } from "openclaw-integrity/continuity/dbos";
 *
 * const address = "postgres://app@localhost:5432/app";
 * const continuity = new Continuity({ store: await openPostgresStore({ connectionString: address }) });
 * const engine = await openDbosEngine({ continuity, DBOS });
 * const send = engine.step("send", async ({ idempotency_key }) => {
 *   await DBOS.sleep(60_000); // outlives every restart
 *   return DBOS.runStep(async () => `sent ${idempotency_key}`, { name: "send", retriesAllowed: true });
 * });
 * DBOS.setConfig({ name: "invoices", systemDatabaseUrl: address, executorID: processOwner() });
 * await DBOS.launch();
 * await engine.recover({ isGone });
 * const request = { step_id: "send-17", step_type: "idempotent", idempotency_key: "invoice-17" } as const;
 * console.log(await send.run("invoices", request)); // { result: "sent invoice-17", executed: true }
 * await engine.settled();
 * await DBOS.shutdown();
 * await continuity.close();
 * ```
 */
export async function openDbosEngine({
  continuity,
  DBOS,
}: {
  readonly continuity: Continuity;
  readonly DBOS?: DbosSdk;
}): Promise<DbosEngine> {
  return new DbosEngine(continuity, await loadDbos(DBOS && (async () => ({ DBOS }))));
}
