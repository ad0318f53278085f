/**
 * Repairs sessions as a process that can be killed: `repair-worker.ts <state directory> <root of OpenClaw> <session
 * id>...`. A line for each that is done.
 */
import { repairStored } from "../../src/health/index.ts";
import { findSummary, openCatalog } from "../../src/store/index.ts";

const [stateDirectory = "", root = "", ...ids] = process.argv.slice(2);
const catalog = openCatalog(stateDirectory);
// Loading OpenClaw takes a while: what comes behind this line is the repair itself.
for (const [at, id] of ids.entries()) {
  const { action } = await repairStored(catalog, findSummary(catalog, id), { stateDirectory, root: () => root });
  process.stdout.write(`${at} ${action}\n`);
}
process.exit();
