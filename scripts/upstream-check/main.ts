/**
 * Checks the pull requests in `upstream/`: `node scripts/upstream-check/main.ts [--strict]`. Exit code 1 when something is
 * wrong.
 */
import { parseArgs } from "node:util";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPullRequest } from "../upstream/check.ts";
import { contentsFrom } from "../upstream/contents.ts";
import { readPullRequest, listSeries } from "../upstream/pull-request.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const SERIES = join(REPOSITORY, "upstream");

const { values } = parseArgs({ options: { strict: { type: "boolean", default: false } } });
const contents = contentsFrom(join(REPOSITORY, ".cache", "upstream"));
let failed = 0;
let unchecked = 0;
let applied = 0;
const names = listSeries(SERIES);
for (const name of names) {
  try {
    const checked = await checkPullRequest(readPullRequest(SERIES, name), contents);
    console.log(
      `${checked.failures.length > 0 ? "FAILED" : "ok    "} ${name}: ${checked.productionLines} production lines, applied to ${checked.applied} file(s)`,
    );
    for (const failure of checked.failures) console.log(`         ${failure}`);
    for (const file of checked.unchecked) console.log(`         not checked: contents not available: ${file}`);
    failed += checked.failures.length;
    unchecked += checked.unchecked.length;
    applied += checked.applied;
  } catch (error) {
    console.log(`FAILED ${error instanceof Error ? error.message : String(error)}`);
    failed += 1;
  }
}
console.log(
  `${names.length} pull requests: diffs applied to ${applied} files, ${unchecked} files not checked, ${failed} failures`,
);
process.exitCode = failed > 0 || (values.strict && unchecked > 0) ? 1 : 0;
