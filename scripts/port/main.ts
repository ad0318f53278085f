/**
 * `npm run port -- <release> [--write] [--no-real]`: takes the patch set to a release that it does not know yet: what
 * fits, what is other than in the release before it, and what to look at. `--write` records it in
 * releases/releases.json.
 */
import { parseArgs } from "node:util";
import { portRelease } from "./port.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: { write: { type: "boolean", default: false }, real: { type: "boolean", default: true } },
});
const [release] = positionals;
if (release === undefined || positionals.length > 1) {
  console.error("expected one release, as in: npm run port -- 2026.10.1 [--write] [--no-real]");
  process.exitCode = 2;
} else {
  process.exitCode = await portRelease(release, values);
}
