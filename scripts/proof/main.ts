/**
 * `npm run proof -- --until 20:00 | --minutes 240 [--seed S] [--anew]`: stock and patched side by side, through the
 * corpus, recorded requests, live faults, providers with a hidden rule, and soaks. A run that was killed goes on when it
 * is started again, unless `--anew`. Writes results/proof.json, the section of docs/proof.md and its picture. Exit code
 * 1 when a figure is worse than in the proof that is committed.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { calibrate } from "../../harness/patience.ts";
import { replaceSection } from "../../harness/replace-section.ts";
import { listRegressions, listShortfalls } from "./compare.ts";
import { assemble } from "./assemble.ts";
import { makeJobs, sizeJob, type Job } from "./jobs.ts";
import { writePictures } from "../picture/pictures.ts";
import type { Proof } from "./proof.ts";
import { formatProof } from "./report.ts";
import { jobsLeft, minutesFor, StateFolder, type State } from "./state.ts";
import { readEnd } from "./until.ts";
import { endWithSignals } from "../end-with-signals.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RESULT = "results/proof.json";
const PAGE = "docs/proof.md";
// What hangs is ended behind so many times its minutes, and this.
const OVERTIME = { factor: 3, minutes: 60 };

const { values } = parseArgs({
  options: {
    until: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    anew: { type: "boolean", default: false },
  },
});
const folder = new StateFolder(join(ROOT, ".cache/proof"));
const commit = git("describe", "--always", "--dirty", "--exclude", "*");

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function begin(): State {
  const beganAt = Date.now();
  const endsAt = readEnd(values, new Date(beganAt)).getTime();
  const seed = values.seed ?? String(randomInt(1_000_000));
  const command = ["npm run proof", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
  folder.clear();
  return { commit, seed, command, beganAt, endsAt, jobs: makeJobs((endsAt - beganAt) / 60_000), done: [] };
}

/** Runs a job to its end; what it prints is in a file beside its figures. */
async function run(job: Job, minutes: number, state: State): Promise<Proof["parts"][number]> {
  const { size, args } = sizeJob(job, minutes, state.seed);
  const began = Date.now();
  console.log(`${new Date().toISOString().slice(11, 16)} ${job.name}: ${size}; node ${args.join(" ")}`);
  const log = openSync(folder.path(`${job.name}.log`), "w");
  const child = spawn(process.execPath, [...args, "--json", folder.path(`${job.name}.json`)], {
    cwd: ROOT,
    stdio: ["ignore", log, log],
  });
  const end = (): void => void child.kill("SIGTERM");
  process.once("exit", end);
  const timer = setTimeout(end, (minutes * OVERTIME.factor + OVERTIME.minutes) * 60_000);
  // Its exit code says that a figure is not as it must be; the figures say which.
  const code = await new Promise((resolve) => child.once("exit", (status, signal) => resolve(status ?? signal)));
  clearTimeout(timer);
  process.off("exit", end);
  const hasFigures = folder.readJson(job.name) !== undefined;
  return {
    name: job.name,
    size,
    minutes: Math.round((Date.now() - began) / 60_000),
    ...(!hasFigures && { failed: `ended with ${String(code)}, without figures` }),
  };
}

endWithSignals();

calibrate();
const before = values.anew ? undefined : folder.read(commit);
const state = before ?? begin();
if (before !== undefined) console.log(`goes on with ${before.command}; ${before.done.length} parts are done`);
console.log(`seed ${state.seed}, until ${new Date(state.endsAt).toISOString()}`);
folder.write(state);
for (let left = jobsLeft(state); left.length > 0; left = jobsLeft(state)) {
  const minutes = minutesFor(left, state.endsAt - Date.now());
  state.done.push(await run(left[0]!, minutes, state));
  folder.write(state);
}

const proof = assemble(state, (name) => folder.readJson(name));
let former: Proof | undefined;
try {
  former = JSON.parse(git("show", `HEAD:${RESULT}`)) as Proof;
} catch {
  // None is committed.
}
writeFileSync(join(ROOT, RESULT), `${JSON.stringify(proof, null, 2)}\n`);
const page = join(ROOT, PAGE);
writeFileSync(page, replaceSection(readFileSync(page, "utf8"), "proof", formatProof(proof)));
writePictures();
for (const line of listShortfalls(proof)) console.log(`fell short: ${line}`);
const regressions = former === undefined ? [] : listRegressions(proof, former);
for (const line of regressions) console.log(`worse than the committed run: ${line}`);
console.log(`wrote ${RESULT} and ${PAGE}`);
folder.end();
if (regressions.length > 0) process.exitCode = 1;
