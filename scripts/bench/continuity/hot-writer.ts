/**
 * A process that writes to one project (`node hot-writer.ts <url> <schema> <name> <milliseconds>`): says when it is
 * ready, begins at a line, and says how many commands it carried out.
 */
import { once } from "node:events";
import { Continuity, openPostgresStore } from "../../../src/continuity/index.ts";

const [url = "", schema = "", name = "", milliseconds = "0"] = process.argv.slice(2);
const store = await openPostgresStore({ connectionString: url, schema, connections: 2 });
const project = await new Continuity({ store }).project("hot");
const [task_id = ""] = Object.keys((await project.state()).tasks);
console.log("ready");
await once(process.stdin, "data");
const end = performance.now() + Number(milliseconds);
let done = 0;
const slowest = { ms: 0 };
while (performance.now() < end) {
  const begun = performance.now();
  await project.updateCheckpoint({ task_id, where_we_left_off: `${name} has done ${done}`, next_step: "Go on." });
  slowest.ms = Math.max(slowest.ms, performance.now() - begun);
  done += 1;
}
console.log(JSON.stringify({ done, slowestMs: slowest.ms }));
process.exit(0);
