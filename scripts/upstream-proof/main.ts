/**
 * Shows what each pull request in `upstream/` changes in the real OpenClaw: `node scripts/upstream-proof/main.ts [number]`.
 * The edits of `proof.json` are made in a copy of the installed release; the release itself stays as it is.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readProofPlan } from "../upstream/proof-plan.ts";
import { listSeries } from "../upstream/pull-request.ts";
import { runScenario, scenarioTitle } from "../upstream/scenario.ts";
import { makeTrial } from "../upstream/trial.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const SERIES = join(REPOSITORY, "upstream");

for (const name of listSeries(SERIES, process.argv[2])) {
  const { release, edits, scenarios } = readProofPlan(join(SERIES, name, "proof.json"), `${name}/proof.json`);
  const stock = join(REPOSITORY, ".releases", release, "stock");
  console.log(`${name}: OpenClaw ${release} as published, then with ${edits.length} edit(s) of its compiled files`);
  const trial = makeTrial(stock, join(REPOSITORY, ".cache", "upstream", "proof"), edits);
  try {
    for (const scenario of scenarios) {
      console.log(`\n${scenarioTitle(scenario)}`);
      for (const line of await runScenario(scenario, { release, root: stock })) console.log(`  before  ${line}`);
      for (const line of await runScenario(scenario, { release, root: trial.root })) console.log(`  after   ${line}`);
    }
  } finally {
    trial.remove();
  }
  console.log("");
}
