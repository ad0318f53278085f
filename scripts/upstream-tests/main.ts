/** `npm run upstream tests`: OpenClaw's own tests without and with the patch. See `npm run upstream tests -- --help`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCommand } from "../sources/page.ts";
import { StepError } from "../sources/step.ts";
import { withTree } from "../sources/tree.ts";
import { HELP, parseTestsArguments } from "./arguments.ts";
import { testFiles } from "./files.ts";
import { isGood, formatReport, type TreeRun } from "./report.ts";
import { forget, runBoth } from "./run.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string): void => console.log(`upstream:tests: ${line}`);

const options = parseTestsArguments(process.argv.slice(2));
if (typeof options === "string") {
  console.log(options);
  process.exitCode = options === HELP ? 0 : 2;
} else {
  const trees: TreeRun[] = [];
  try {
    for (const source of options.sources) {
      const parent = join(REPOSITORY, ".cache", "upstream-tests");
      trees.push(
        await withTree(source, parent, say, async (tree, home) => {
          const folder = join(home, "results");
          if (options.fresh) forget(folder);
          const all = testFiles(tree.root, options.globs).length;
          const files = testFiles(tree.root, options.globs, options.shard);
          say(`OpenClaw ${tree.release}: ${files.length} of ${all} test files`);
          const run = await runBoth(tree, { files, folder, workers: options.workers, say });
          const command = formatCommand("upstream tests", process.argv.slice(2), basename(source));
          return { release: tree.release, notes: tree.notes, all, run, command, globs: options.globs };
        }),
      );
    }
    const page = join(REPOSITORY, "results", "upstream-tests.md");
    const text = formatReport(trees, existsSync(page) ? readFileSync(page, "utf8") : "");
    console.log(text);
    if (options.write) writeFileSync(page, text);
    process.exitCode = trees.every(({ run }) => isGood(run)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
