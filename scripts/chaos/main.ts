/**
 * `npm run trial chaos [-- --sample] [--write] [--seed S] [--only N] [--kills 300] [--gateway-kills 12] [--release R]
 * [--variant stock|patched] [--mode in-process|gateway] [--lanes 2] [--add]`: kills the real OpenClaw by SIGKILL at
 * random points of turns and looks at what its next process makes of them. `--add` puts it to what earlier runs with it
 * have measured. Exit code 1 when a patched OpenClaw fails a check, and when something could not be measured.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched, ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { printTable } from "../fuzz/table.ts";
import { planEpisodes, playJob, type Job } from "./crew.ts";
import { readMeasured, together, writeMeasured } from "./runs.ts";
import { checksTable, failureLines, placesTable, formatReport, toldTable } from "./report.ts";
import { addTo, emptyTally, type Subject, type Tally } from "./tally.ts";
import { describeMaking } from "../measured/making.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    sample: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    seed: { type: "string" },
    only: { type: "string" },
    kills: { type: "string" },
    "gateway-kills": { type: "string" },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    variant: { type: "string", multiple: true, default: ["stock", "patched"] },
    mode: { type: "string", multiple: true, default: ["in-process", "gateway"] },
    // Two: the machine has two cores.
    lanes: { type: "string", default: "2" },
    add: { type: "boolean", default: false },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
const SAMPLE_KILLS = 12;
const command = ["npm run trial chaos", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
const seed = values.seed ?? String(randomInt(1_000_000));
const started = performance.now();

function say(line: string): void {
  console.error(line);
}

function countKills(mode: Subject["mode"]): number {
  if (mode === "gateway") return Number(values["gateway-kills"] ?? (values.sample ? 0 : 12));
  return Number(values.kills ?? (values.sample ? SAMPLE_KILLS : 300));
}

async function jobs(): Promise<Job[]> {
  const all: Job[] = [];
  // The latest release takes longest, so that it comes first.
  for (const release of values.release.toReversed() as Release[]) {
    const installed = values.variant.includes("patched")
      ? await ensurePatched(release, { say })
      : await ensureRelease(release, { say });
    for (const mode of ["gateway", "in-process"] as const) {
      for (const variant of ["patched", "stock"] as const) {
        if (!values.mode.includes(mode) || !values.variant.includes(variant)) continue;
        const only = values.only === undefined ? {} : { only: Number(values.only) };
        all.push(
          ...planEpisodes({
            release,
            mode,
            variant,
            root: join(installed[variant], "..", ".."),
            seed,
            kills: countKills(mode),
            ...only,
          }),
        );
      }
    }
  }
  return all;
}

// So that what was started is ended too; folders in the system's temporary one stay.
endWithSignals();

const waiting = await jobs();
const tallies = new Map<string, Tally>();
const subjectName = ({ release, mode, variant }: Subject): string => `${release} ${mode} ${variant}`;
for (const { release, mode, variant } of waiting.toReversed())
  tallies.set(subjectName({ release, mode, variant }), emptyTally({ release, mode, variant }));
let failed = false;
console.log(
  `seed ${seed}, ${waiting.reduce((sum, { episodes }) => sum + episodes.reduce((kills, one) => kills + one.kills.length, 0), 0)} kills`,
);

async function lane(): Promise<void> {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
    const tally = tallies.get(subjectName(job)) as Tally;
    let done = 0;
    const subject: Subject = { release: job.release, mode: job.mode, variant: job.variant };
    try {
      await playJob(job, (outcome) => {
        done++;
        addTo(tally, outcome);
        const lines = failureLines(subject, outcome, seed);
        if (lines.length > 0 && job.variant === "patched") failed = true;
        for (const line of lines) console.log(line);
        if (done % 5 === 0)
          console.error(
            `${subjectName(job)}: ${tally.kills} kills, ${tally.turns} turns, ${Math.round((performance.now() - started) / 1000)} s`,
          );
      });
    } catch (error) {
      failed = true;
      tally.notMeasured++;
      console.log(`${subjectName(job)}: episode ${job.episodes[done]?.n} could not be measured: ${String(error)}`);
      // The rest goes on, on a state of its own.
      if (done + 1 < job.episodes.length) waiting.push({ ...job, episodes: job.episodes.slice(done + 1) });
    }
  }
}
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));

const minutes = Math.round((performance.now() - started) / 60_000);
const run = describeMaking(command, `seed \`${seed}\``, `${minutes} minutes`);
const measured = together(values.add ? readMeasured() : { runs: [], tallies: [] }, run, [...tallies.values()]);
if (values.add) writeMeasured(measured);
const results = measured.tallies;
console.log("");
printTable(checksTable(results));
console.log("");
printTable(placesTable(results));
for (const tally of results) {
  console.log(`\n${subjectName(tally)}`);
  printTable(toldTable(tally));
}
if (values.write) {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, "chaos.md"), formatReport(measured));
  console.log("\nwrote results/chaos.md");
}
if (failed) process.exitCode = 1;
