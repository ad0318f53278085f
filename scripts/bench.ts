/**
 * `npm run bench [-- --no-turns] [--rounds 60] [--write]`: what the guard costs, on healthy histories against a bare loop, and
 * in whole turns of the real OpenClaw against the unpatched one. All figures that are compared come from one run.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { RELEASES } from "../src/patching/releases.ts";
import { APIS } from "../test/arbitrary/bodies.ts";
import type { Measured } from "./bench/measure.ts";
import { measureApart, type Task } from "./bench/process.ts";
import { callRows, reportOf, streamRows, turnRows, verdicts } from "./bench/report.ts";
import { measureStreams } from "./bench/streams.ts";
import { measureTurns, type TurnCost } from "./bench/turns.ts";
import { printTable } from "./fuzz/table.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "boolean", default: true },
    rounds: { type: "string", default: "60" },
    write: { type: "boolean", default: false },
  },
  allowNegative: true,
});
const command = ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
const TURN_SIZES = [20, 200];

const all: { task: Task; measured: Measured[] }[] = [];
for (const task of ["history", ...APIS] as const) {
  process.stderr.write(`measuring ${task}\n`);
  all.push({ task, measured: await measureApart(task) });
}
printTable(callRows(all));
process.stderr.write("measuring streams\n");
const streams = await measureStreams();
console.log();
printTable(streamRows(streams));
const turns: TurnCost[] = [];
if (values.turns && !existsSync("/proc/self/sched")) console.log("\nNo whole turns: this system does not tell the CPU time of a process in /proc.");
else if (values.turns) {
  for (const { release } of RELEASES) {
    process.stderr.write(`measuring turns of OpenClaw ${release}\n`);
    turns.push(...(await measureTurns(release, TURN_SIZES, Number(values.rounds))));
  }
  console.log();
  printTable(turnRows(turns));
}
console.log(`\n${verdicts(all, turns).join("\n")}`);
if (values.write) {
  const folder = fileURLToPath(new URL("../results/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}bench.md`, reportOf(command, all, streams, turns));
  console.log("wrote results/bench.md");
}
