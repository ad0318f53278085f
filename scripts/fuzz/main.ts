/**
 * `npm run trial fuzz [-- --runs 100000] [--seed N] [--api NAME] [--write]`: random corrupt histories through the repair and
 * the real adapters of both base releases, judged by the strict provider's rules. Stops at the first history that does
 * not come through. `npm run trial fuzz -- --hostile [--count 100000] [--seed N] [--write]`: hostile texts and damaged stores
 * through every function of the library and the commands that read. `npm run trial fuzz -- --control [--sessions 200]
 * [--write]`: healthy sessions through the unpatched and the patched OpenClaw.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import type { ModelApi } from "../../harness/corpus/case.ts";
import { runControlGroup } from "./control.ts";
import { work } from "./crew.ts";
import { formatReport, tallyRows } from "./report.ts";
import { printTable } from "./table.ts";
import { addTallies, type Tallies } from "./tally.ts";
import { runHostileGroup } from "./hostile/run.ts";
import type { Done, Job } from "./worker.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    seed: { type: "string" },
    api: { type: "string", multiple: true },
    workers: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
    control: { type: "boolean", default: false },
    sessions: { type: "string", default: "200" },
    hostile: { type: "boolean", default: false },
    count: { type: "string", default: "100000" },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
const command = ["npm run trial fuzz", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
const JOB_RUNS = 1000;

function save(name: string, text: string): void {
  if (!values.write) return;
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}${name}`, text);
  console.log(`wrote results/${name}`);
}

/** The work in pieces, the APIs by turns, so that a failure of any shows early. Runs are histories per API. */
function jobsFor(apis: readonly ModelApi[], runs: number, seed: number): Job[] {
  const jobs: Job[] = [];
  for (let done = 0; done < runs; done += JOB_RUNS) {
    for (const api of apis) jobs.push({ api, runs: Math.min(JOB_RUNS, runs - done), seed: (seed + jobs.length) | 0 });
  }
  return jobs;
}

async function fuzz(): Promise<void> {
  const runs = Number(values.runs);
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const apis = values.api ? APIS.filter((api) => values.api?.includes(api)) : APIS;
  const jobs = jobsFor(apis, runs, seed);
  console.log(`seed ${seed}: ${runs} histories for each of ${apis.join(", ")}`);
  const tallies: Tallies = {};
  const failures: string[] = [];
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  let finished = 0;
  await work<Job, Done>(
    { file: new URL("worker.ts", import.meta.url) },
    jobs,
    Number(values.workers),
    ({ tallies: more, failure }) => {
      addTallies(tallies, more);
      if (failure !== undefined) failures.push(failure);
      finished++;
      if (process.stderr.isTTY || finished % 20 === 0 || finished === jobs.length) {
        const left = Math.round((seconds() / finished) * (jobs.length - finished));
        process.stderr.write(
          `${process.stderr.isTTY ? "\r" : ""}${finished} of ${jobs.length} jobs, ${left} s left  ${process.stderr.isTTY ? "" : "\n"}`,
        );
      }
      return failures.length === 0;
    },
  );
  console.log();
  printTable(tallyRows(tallies));
  if (failures.length > 0) {
    for (const failure of failures) console.error(`\nFAILED ${failure}`);
    process.exitCode = 1;
    return;
  }
  console.log(`\nall came through, ${Math.round(seconds())} s, seed ${seed}`);
  save("fuzz.md", formatReport(tallies, { command, seed, seconds: seconds() }));
}

if (values.control) {
  const { report, identical } = await runControlGroup(Number(values.sessions), command);
  console.log(report);
  if (identical) save("control-group.md", report);
  else process.exitCode = 1;
} else if (values.hostile) {
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const { report, failures } = await runHostileGroup({
    count: Number(values.count),
    seed,
    workers: Number(values.workers),
    command,
  });
  console.log(report);
  for (const failure of failures) console.error(`\nFAILED ${failure}`);
  if (failures.length === 0) save("fuzz-hostile.md", report);
  else process.exitCode = 1;
} else await fuzz();
