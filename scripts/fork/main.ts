/**
 * `npm run trial fork -- --source <folder | archive | tag>`: builds OpenClaw from its sources with the patch in them, by its own
 * commands, and proves the packed build. See `npm run trial fork -- --help`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openScratch } from "../../harness/scratch.ts";
import { formatCommand } from "../sources/page.ts";
import { StepError } from "../sources/step.ts";
import { withTree } from "../sources/tree.ts";
import { runFork, type ForkRun } from "./fork.ts";
import { isGood, formatReport, type Report } from "./report.ts";

const HELP = `npm run trial fork -- --source <folder | archive | tag> [...]

Applies the patch to OpenClaw's sources, has them built and packed by their own commands, installs the package below
.cache/fork, and runs corrupt sessions through it. The sources that are named are not changed.

  --source <source>  a checkout (its last commit), an archive of one, or a tag of openclaw/openclaw; repeat it for several
  --stock            also builds the sources as they are, and runs the cases on both
  --series           also type checks and bundles at each commit of apply --source --patch
  --corpus           all cases of the corpus instead of a sample of all classes
  --write            writes what was run into results/fork.md; what it has of other trees stays

Exit code 1: a step failed, or the build is not proven.
`;

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string): void => console.log(`fork: ${line}`);
const { values } = parseArgs({
  options: {
    source: { type: "string", multiple: true, default: [] },
    stock: { type: "boolean", default: false },
    series: { type: "boolean", default: false },
    corpus: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const controller = new AbortController();
process.once("SIGINT", () => controller.abort(new Error("stopped")));

async function forkSource(source: string): Promise<ForkRun> {
  const scratch = openScratch();
  try {
    return await withTree(source, join(REPOSITORY, ".cache", "fork"), say, async (tree, home) => {
      say(`OpenClaw ${tree.release}`);
      const { stock, series, corpus } = values;
      const extent = corpus ? "corpus" : "sample";
      return await runFork(tree, home, { extent, stock, series, env: scratch.env, signal: controller.signal, say });
    });
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return { release: basename(source), notes: [], failed: { step: error.step, reason: error.reason } };
  } finally {
    scratch.remove();
  }
}

function resultsPage(name: string): string {
  const file = join(REPOSITORY, "results", name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

if (values.help || values.source.length === 0) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const reports: Report[] = [];
  const write = (): string => {
    const text = formatReport(reports, { previous: resultsPage("fork.md"), matrix: resultsPage("matrix.md") });
    if (values.write) writeFileSync(join(REPOSITORY, "results", "fork.md"), text);
    return text;
  };
  let text = "";
  for (const source of values.source) {
    const run = await forkSource(source);
    reports.push({ run, command: formatCommand("trial fork", process.argv.slice(2), basename(source)) });
    // After each: what was built stays known when the next one is stopped.
    text = write();
  }
  console.log(text);
  process.exitCode = reports.every(({ run }) => isGood(run)) ? 0 : 1;
}
