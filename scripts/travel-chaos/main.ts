/**
 * `npm run trial travel-chaos -- [--kills 110] [--seed S] [--release R] [--batch-places N] [--stock-every N] [--gateway-every
 * N] [--lanes 2] [--only N] [--verbose] [--write]`: kills the real OpenClaw by SIGKILL at every place of a move and at
 * random times around it, and looks at what its next process makes of that. `--write` makes results/travel-chaos.md.
 * Exit code 1 when a rule was broken.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { printTable } from "../fuzz/table.ts";
import { everyPlace, playRelease } from "./play.ts";
import { failureLines, placesTable, remarks, formatReport, rulesTable } from "./report.ts";
import { addTo, emptyTally, sumRows, type Tally } from "./tally.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "110" },
    seed: { type: "string" },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    "batch-places": { type: "string" },
    "stock-every": { type: "string" },
    "gateway-every": { type: "string" },
    only: { type: "string", multiple: true },
    // Two: the machine has two cores.
    lanes: { type: "string", default: "2" },
    verbose: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
/** A start of the later release takes several times as long, and its transactions have many steps. */
const USUAL: Readonly<
  Record<string, { readonly batchPlaces: number; readonly stockEvery: number; readonly gatewayEvery: number }>
> = { "2026.2.3": { batchPlaces: 100, stockEvery: 1, gatewayEvery: 13 } };
const OTHERS_USUAL = { batchPlaces: 12, stockEvery: 4, gatewayEvery: 13 };
const command = [
  "npm run trial travel-chaos",
  ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : []),
].join(" ");
const seed = values.seed ?? String(randomInt(1_000_000));
const started = performance.now();

// So that what was started is ended too; folders in the system's temporary one stay.
endWithSignals();

console.log(`seed ${seed}`);
const tallies: Tally[] = [];
for (const release of values.release as Release[]) {
  const { patched, stock } = await ensurePatched(release, { say: (line) => console.error(line) });
  const tally = emptyTally(release);
  tallies.push(tally);
  const usual = USUAL[release] ?? OTHERS_USUAL;
  const batchPlaces = Number(values["batch-places"] ?? usual.batchPlaces);
  const again = `npm run trial travel-chaos -- --release ${release} --seed ${seed} --kills ${values.kills} --batch-places ${batchPlaces}`;
  await playRelease({
    release,
    roots: { patched: join(patched, "..", ".."), stock: join(stock, "..", "..") },
    plan: everyPlace({ seed, kills: Number(values.kills), batchPlaces }, values.only?.map(Number)),
    stockEvery: Number(values["stock-every"] ?? usual.stockEvery),
    gatewayEvery: Number(values["gateway-every"] ?? usual.gatewayEvery),
    lanes: Number(values.lanes),
    ...(values.verbose && { log: (line: string) => console.error(`  ${line}`) }),
    done: (outcome) => {
      addTo(tally, outcome);
      for (const line of failureLines(release, outcome, again)) console.log(line);
      const { kills } = sumRows(tally);
      if (kills % 10 === 0)
        console.error(`${release}: ${kills} kills, ${Math.round((performance.now() - started) / 1000)} s`);
    },
  });
  if (tally.findings.length > 0) process.exitCode = 1;
  console.log(`\n${release}`);
  printTable(placesTable(tally));
  for (const line of remarks(tally)) console.log(line);
}
console.log("");
printTable(rulesTable(tallies));
if (values.write) {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(
    join(RESULTS, "travel-chaos.md"),
    formatReport(command, seed, Math.round((performance.now() - started) / 60_000), tallies),
  );
  console.log("wrote results/travel-chaos.md");
}
