/** A process that begins a step and holds its lease until it is killed. Its argument is the store, as JSON. */
import { Continuity, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { LeaseKeeper } from "../../src/continuity-tools/index.ts";

const { file, connectionString, ttlMs } = JSON.parse(process.argv[2]!) as {
  file?: string;
  connectionString?: string;
  ttlMs: number;
};
const store =
  file === undefined ? await openPostgresStore({ connectionString: connectionString! }) : openSqliteStore({ file });
const project = await new Continuity({ store }).project("p");
const leases = new LeaseKeeper({ ttlMs });
await leases.begin(project, { step_id: "pay", step_type: "idempotent" });
process.send!(leases.owner_id);
setInterval(() => undefined, 1000);
