/** A process that holds a project's lease and is in the middle of a step, until it is killed. Argument: the store's file. */
import { Continuity, openSqliteStore, processOwner } from "../../src/continuity/index.ts";

const continuity = new Continuity({ store: openSqliteStore({ file: process.argv[2]! }) });
const project = await continuity.project("p");
const lease = await project.acquireLease({ owner_id: processOwner(), ttlMs: 600_000 });
await project.steps.begin(lease, { step_id: "send-1", step_type: "non_idempotent", idempotency_key: "k" });
process.stdout.write("begun\n");
setInterval(() => undefined, 1000);
