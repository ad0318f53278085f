import { appendFileSync } from "node:fs";
import {
  Continuity,
  openPostgresStore,
  openSqliteStore,
  type PostgresOptions,
  processOwner,
  type SqliteOptions,
  type StepRequest,
} from "../../src/continuity/index.ts";

/**
 * A process that is killed in the middle of a step, behind its effect and before its result is recorded:
 * `node killed-step.ts <options of the store> <request>`, both as JSON, `<file that gets a line for each effect>`.
 */
const [options, request, effects] = process.argv.slice(2) as [string, string, string];
const place = JSON.parse(options) as SqliteOptions | PostgresOptions;
const store = "file" in place ? openSqliteStore(place) : await openPostgresStore(place);
const project = await new Continuity({ store }).project("p");
await project.runStep(
  await project.acquireLease({ owner_id: processOwner() }),
  JSON.parse(request) as StepRequest,
  async () => {
    appendFileSync(effects, "acted\n");
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => undefined);
  },
);
