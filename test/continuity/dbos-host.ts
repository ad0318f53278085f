/**
 * One host: `dbos-host.ts <PostgreSQL address> <address of the outside server> <number of steps>`. Recovers, calls every
 * step, prints `done <results as JSON>` when all have a result, and goes on recovering until it is killed.
 */
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Continuity, isGone, openPostgresStore, processOwner } from "../../src/continuity/index.ts";
import { openDbosEngine } from "../../src/continuity/dbos/index.ts";

const [postgres = "", outside = "", steps = "0"] = process.argv.slice(2);
const ignore = (): void => undefined;

const continuity = new Continuity({ store: await openPostgresStore({ connectionString: postgres, connections: 4 }) });
const engine = await openDbosEngine({ continuity });
const order = engine.step("order", async ({ idempotency_key }) => {
  const call = (what: string): Promise<string> =>
    DBOS.runStep(async () => (await fetch(`${outside}/${what}/${idempotency_key}`)).text(), {
      name: what,
      // A connection that the test's server has just closed fails, and says nothing of what is tested.
      retriesAllowed: true,
      intervalSeconds: 0.1,
    });
  const reserved = await call("reserve");
  await DBOS.sleep(150);
  return [reserved, await call("pay")];
});
DBOS.setConfig({
  name: "hosts",
  systemDatabaseUrl: postgres,
  systemDatabasePoolSize: 4,
  executorID: processOwner(),
  applicationVersion: "1",
  logger: { info: ignore, debug: ignore, warn: ignore, error: ignore },
});
await DBOS.launch();
await engine.recover({ isGone });
setInterval(() => void engine.recover({ isGone }).catch(ignore), 200);
const results: unknown[] = [];
const left = Array.from({ length: Number(steps) }, (_, at) => at);
const worker = async (): Promise<void> => {
  for (let at = left.shift(); at !== undefined; at = left.shift()) {
    const request = {
      step_id: `order-${at}`,
      step_type: "non_idempotent",
      idempotency_key: `key-${at}`,
      repeat: "after-unknown",
    } as const;
    results[at] = (await order.run(`shop ${at % 2}`, request)).result;
  }
};
await Promise.all([worker(), worker(), worker(), worker()]);
console.log(`done ${JSON.stringify(results)}`);
