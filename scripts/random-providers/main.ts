/**
 * `npm run trial random-providers [-- --count 2000] [--seed S] [--only N] [--way 2026.2.3|2026.9.6|library] [--lanes 1]
 * [--minutes M] [--show] [--write] [--json FILE]`: providers that refuse by a hidden rule, each behind the guard with a conversation of its own, in
 * the real OpenClaw (patched) and in the library. Exit code 1 when a claim does not hold. `--show` prints the turns of
 * each, `--lanes` is how many processes each way has, `--minutes` ends the run early, `--write` makes results/random-providers.md.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { calibrate } from "../../harness/patience.ts";
import { WAYS, type Way } from "./plan.ts";
import { formatReport, formatTables, formatPlayed } from "./report.ts";
import { runProviders } from "./run.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    seed: { type: "string" },
    only: { type: "string", multiple: true },
    way: { type: "string", multiple: true },
    lanes: { type: "string", default: "1" },
    minutes: { type: "string" },
    show: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));

// So that OpenClaw's processes are ended too.
endWithSignals();

calibrate();
const seed = values.seed ?? String(randomInt(1_000_000));
console.log(`seed ${seed}`);
const result = await runProviders({
  seed,
  count: Number(values.count),
  ways: (values.way as Way[] | undefined) ?? WAYS,
  ...(values.only && { only: values.only.map(Number) }),
  lanes: Number(values.lanes),
  ...(values.minutes !== undefined && { mostMs: Number(values.minutes) * 60_000 }),
  say: (line) => console.error(line),
  played: (played) => {
    if (values.show) console.log(formatPlayed(played));
  },
});
console.log(formatTables(result));
for (const failure of result.failures) console.log(failure);
if (result.failures.length > 0) process.exitCode = 1;
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ seed, ...result.tally.all })}\n`);
if (values.write) {
  mkdirSync(RESULTS, { recursive: true });
  const command = `npm run trial random-providers -- --count ${values.count} --seed ${seed}`;
  writeFileSync(`${RESULTS}random-providers.md`, formatReport(command, result));
  console.log("wrote results/random-providers.md");
}
process.exit();
