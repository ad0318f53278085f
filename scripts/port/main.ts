/**
 * `npm run port -- <release> [--write] [--no-real]`: takes the patch set to a release that it does not know yet: what
 * fits, what is other than in the release before it, and what to look at. `--write` records it in
 * releases/releases.json.
 *
 * `npm run port -- --watch`: does it for each new stable release on the registry, and leaves a branch for review. Exit
 * code 0 when nothing is new, 3 when all new ones were ported, 4 when one needs a hand, 1 when something was refused.
 * It works in a clone in .cache/port, so that a kill leaves the repository as it was. A later release starts from the
 * branch before it: the oldest is merged first, and a branch that no longer merges is deleted and made again. The report
 * of each, results/port/<release>.md, lists the points around which the code has changed: that is for a person to judge.
 * `--as-if-new`: the releases named are known, and are ported as if they were not; nothing is kept. Each takes about
 * three minutes and 1.3 GB. With `--write` the outcome is written to results/port-watch.md.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { complain, say } from "../../src/base/terminal.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { portRelease } from "./port.ts";
import { formatPage } from "./watch/table.ts";
import { EXIT, watch, watchAsIfNew } from "./watch/watch.ts";

const PAGE = fileURLToPath(new URL("../../results/port-watch.md", import.meta.url));
const USAGE = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    write: { type: "boolean", default: false },
    real: { type: "boolean", default: true },
    watch: { type: "boolean", default: false },
    "as-if-new": { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  const [release] = positionals;
  if (values["as-if-new"] && release !== undefined) {
    const command = `npm run port -- --watch --as-if-new ${positionals.join(" ")}`;
    // After each release: an hour of work is not lost with the last one.
    const results = await watchAsIfNew(positionals, (done) => {
      if (values.write) writeFileSync(PAGE, formatPage(done, command));
    });
    say(formatPage(results, command).split("\n"));
    return results.every(({ outcome }) => outcome.verdict === "ported") ? EXIT.ported : EXIT.needsHand;
  }
  if (values.watch && !values["as-if-new"] && release === undefined) return watch();
  if (!values.watch && !values["as-if-new"] && release !== undefined && positionals.length === 1)
    return portRelease(release, values);
  complain(
    "expected one release, as in: npm run port -- 2026.10.1 [--write] [--no-real]; or --watch; or --watch --as-if-new and known releases",
  );
  return USAGE;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof PatchError)) throw error;
  complain(`port: ${error.message}`);
  process.exitCode = EXIT.refused;
}
