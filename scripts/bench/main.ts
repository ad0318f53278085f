/**
 * `npm run bench [-- --only guard|openclaw|peers|journal|scan|continuity|travel|register|files] [--processes 12] [--rounds 20]
 * [--no-turns] [--long 1000000] [--starts 9] [--words 5] [--write]` and `npm run bench -- --check [--write]`: what the guard costs,
 * on healthy histories against a bare loop, and in turns, starts and streams of the real OpenClaw against the unpatched one; what
 * other projects do with a history, and for how much; what the journal costs against bare
 * SQL statements, and SessionIntegrity against its specification's targets; what a scan costs against reading the same rows;
 * what the continuity kernel costs against bare INSERTs and SELECTs, also with a workflow of `--long` events; what an agent's
 * move costs against OpenClaw's own rewind; what capturing files costs against `git status`; what the hook costs a gateway's
 * start, a turn, and a process that is not OpenClaw. All figures that are compared come from one run. `--check` compares the
 * pure functions' costs with the recorded ones and fails where one has grown by a quarter more than the others; with `--write` it records them.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import { checkCosts } from "./check.ts";
import { engineRows } from "./continuity/dbos.ts";
import { formatContinuityReport, continuityVerdicts, crowdRows, hotRows, pairRows } from "./continuity/report.ts";
import { measureContinuity } from "./continuity/continuity.ts";
import { formatFilesReport, filesRows, filesVerdicts, measureFiles } from "./files.ts";
import { measureIntegrity } from "./journal/integrity.ts";
import { formatJournalReport, journalRows, journalTurnRows, journalVerdicts, operationRows } from "./journal/report.ts";
import { measureJournalTurns, type JournalTurnCost } from "./journal/turns.ts";
import { measureJournal } from "./journal/journal.ts";
import type { Measured } from "./measure.ts";
import { measureApart, type Task } from "./process.ts";
import { measureOther, measureStarts, measureTurnWays, type Compared } from "./register/measure.ts";
import { formatRegisterReport, registerRows, registerVerdict } from "./register/report.ts";
import { firstWordRows, measureFirstWords } from "./openclaw/first-word.ts";
import { measureRealRounds, realRoundRows } from "./openclaw/real-rounds.ts";
import { formatOpenClawReport } from "./openclaw/report.ts";
import { measureGuardLoad, measureStarts as measureAllStarts, startRows } from "./openclaw/starts.ts";
import { measureTurns, type TurnCost, turnRows } from "./openclaw/turns.ts";
import { measureRounds } from "./rounds.ts";
import { callRows, formatReport, roundRows, streamRows, verdicts } from "./report.ts";
import { measureGatewayScans } from "./scan/gateway.ts";
import { gatewayScanRows, measureScans, formatScanReport, scanRows, scanVerdicts } from "./scan/scan.ts";
import { measurePeers } from "./peers/measure.ts";
import { peerCostRows, peerDeedRows, formatPeersReport } from "./peers/report.ts";
import { measureStreams } from "./streams.ts";
import { measureTravel, formatTravelReport, travelRows, travelVerdicts } from "./travel.ts";
import { printTable } from "../fuzz/table.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "boolean", default: true },
    rounds: { type: "string", default: "20" },
    only: { type: "string" },
    long: { type: "string", default: "1000000" },
    starts: { type: "string", default: "9" },
    words: { type: "string", default: "5" },
    processes: { type: "string", default: "12" },
    write: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
  allowNegative: true,
});
const command = ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");

function write(name: string, report: string): void {
  if (!values.write) return;
  const folder = fileURLToPath(new URL("../../results/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}`, report);
  console.log(`wrote results/${name}`);
}

/** Whether this system tells of processes what the benchmarks of whole ones read; says so where it does not. */
function tellsProcesses(what: string): boolean {
  const tells = existsSync("/proc/self/sched");
  if (!tells) console.log(`${what} not measured: this system does not tell the CPU time of a process in /proc.`);
  return tells;
}

async function benchGuard(): Promise<void> {
  const all: { task: Task; measured: Measured[] }[] = [];
  for (const task of ["history", ...APIS] as const) {
    process.stderr.write(`measuring ${task}\n`);
    all.push({ task, measured: await measureApart(task) });
  }
  printTable(callRows(all));
  process.stderr.write("measuring runs of 200 rounds\n");
  const rounds = await measureRounds();
  console.log();
  printTable(roundRows(rounds));
  process.stderr.write("measuring streams\n");
  const streams = await measureStreams();
  console.log();
  printTable(streamRows(streams));
  console.log(`\n${verdicts(all).join("\n")}`);
  write("bench.md", formatReport(command, { all, rounds, streams }));
}

async function benchOpenClaw(): Promise<void> {
  if (!tellsProcesses("OpenClaw is")) return;
  const processes = Number(values.processes);
  const turns: TurnCost[] = [];
  for (const { release } of RELEASES) {
    process.stderr.write(`measuring turns of OpenClaw ${release}\n`);
    turns.push(...(await measureTurns(release, processes, Number(values.rounds))));
  }
  printTable(turnRows(turns));
  process.stderr.write("measuring rounds of tools in long sessions\n");
  const rounds = await measureRealRounds();
  console.log();
  printTable(realRoundRows(rounds));
  process.stderr.write("measuring when words reach the clients of gateways\n");
  const words = await measureFirstWords(processes, Number(values.words));
  console.log();
  printTable(firstWordRows(words));
  const load = await measureGuardLoad(21);
  const starts = await measureAllStarts(Number(values.starts));
  console.log();
  printTable(startRows(starts));
  write("bench-openclaw.md", formatOpenClawReport(command, { turns, rounds, words, load, starts }));
}

async function benchPeers(): Promise<void> {
  const costs = await measurePeers();
  printTable(peerDeedRows(costs));
  console.log();
  printTable(peerCostRows(costs));
  write("bench-peers.md", formatPeersReport(command, costs));
}

async function benchJournal(): Promise<void> {
  process.stderr.write("measuring the journal\n");
  const steps = measureJournal();
  printTable(journalRows(steps));
  process.stderr.write("measuring SessionIntegrity\n");
  const operations = await measureIntegrity();
  console.log();
  printTable(operationRows(operations));
  const turns: JournalTurnCost[] = [];
  for (const { release } of values.turns && tellsProcesses("Turns are") ? RELEASES : []) {
    process.stderr.write(`measuring turns with a tool call of OpenClaw ${release}\n`);
    turns.push(await measureJournalTurns(release, Number(values.processes), Number(values.rounds)));
  }
  if (turns.length > 0) console.log();
  printTable(journalTurnRows(turns));
  const costs = { steps, operations, turns };
  console.log(`\n${journalVerdicts(costs).join("\n")}`);
  write("bench-journal.md", formatJournalReport(command, costs));
}

async function benchScan(): Promise<void> {
  process.stderr.write("measuring scans\n");
  const costs = await measureScans();
  printTable(scanRows(costs));
  console.log(`\n${scanVerdicts(costs).join("\n")}`);
  process.stderr.write("measuring scans in a gateway\n");
  const gateways = await measureGatewayScans();
  printTable(gatewayScanRows(gateways));
  write("bench-scan.md", formatScanReport(command, costs, gateways));
}

async function benchContinuity(): Promise<void> {
  // So that the server that is started is ended too.
  endWithSignals();
  const costs = await measureContinuity(Number(values.long));
  for (const [pairs, other] of [
    [costs.appends, "bare INSERT"],
    [costs.restores, "the other"],
    [costs.finished, "20 finished"],
    [costs.longs, "200 events"],
  ] as const)
    printTable(pairRows(pairs, other));
  printTable(crowdRows(costs.crowds));
  console.log();
  printTable(hotRows(costs.hots));
  printTable(engineRows(costs.engines));
  console.log(`\n${continuityVerdicts(costs).join("\n")}`);
  write("bench-continuity.md", formatContinuityReport(command, costs));
}

async function benchTravel(): Promise<void> {
  process.stderr.write("measuring moves and rewinds\n");
  const costs = await measureTravel();
  printTable(travelRows(costs));
  console.log(`\n${travelVerdicts(costs).join("\n")}`);
  write("bench-travel.md", formatTravelReport(command, costs));
}

async function benchRegister(): Promise<void> {
  if (!tellsProcesses("The hook is")) return;
  process.stderr.write("measuring processes that are not OpenClaw\n");
  const other = await measureOther(Number(values.rounds));
  printTable(registerRows("process", [other], 1));
  const starts: Compared[] = [];
  const turns: Compared[] = [];
  for (const { release } of RELEASES) {
    process.stderr.write(`measuring starts of OpenClaw ${release}\n`);
    starts.push(await measureStarts(release, Number(values.starts)));
    printTable(registerRows("OpenClaw", starts.slice(-1), 0));
    if (!values.turns) continue;
    process.stderr.write(`measuring turns of OpenClaw ${release}\n`);
    turns.push(await measureTurnWays(release, Number(values.processes)));
    printTable(registerRows("OpenClaw", turns.slice(-1), 1));
  }
  const costs = { other, starts, turns };
  console.log(`\n${registerVerdict(costs)}`);
  write("bench-register.md", formatRegisterReport(command, costs));
}

async function benchFiles(): Promise<void> {
  process.stderr.write("measuring captures of files\n");
  const costs = await measureFiles();
  printTable(filesRows(costs));
  console.log(`\n${filesVerdicts(costs).join("\n")}`);
  write("bench-files.md", formatFilesReport(command, costs));
}

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  guard: benchGuard,
  openclaw: benchOpenClaw,
  peers: benchPeers,
  journal: benchJournal,
  scan: benchScan,
  continuity: benchContinuity,
  travel: benchTravel,
  register: benchRegister,
  files: benchFiles,
};
const chosen = values.check
  ? [() => checkCosts(values.write)]
  : values.only === undefined
    ? Object.values(BENCHES)
    : [BENCHES[values.only]];
for (const [at, bench] of chosen.entries()) {
  if (bench === undefined) throw new Error(`Expected --only ${Object.keys(BENCHES).join(", ")}, found ${values.only}.`);
  if (at > 0) console.log();
  await bench();
}
