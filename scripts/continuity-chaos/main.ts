/**
 * `node scripts/continuity-chaos/main.ts [--steps 1000] [--workers 5] [--workflows 20] [--seed S] [--store postgres]
 * [--store sqlite] [--sqlite-steps 2000] [--minutes 30] [--pooler] [--skew 60] [--hangs] [--write]`: several processes execute steps of the same
 * workflows while they are killed, suspended and their server is restarted; then every ledger is checked. Exit code 1
 * when a rule was broken. `--write` makes results/continuity-chaos.md.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printTable } from "../fuzz/table.ts";
import { formatReport, ruleRows, type Run, runRows } from "./report.ts";
import { playRun } from "./run.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "1000" },
    "sqlite-steps": { type: "string" },
    workers: { type: "string", default: "5" },
    workflows: { type: "string", default: "20" },
    seed: { type: "string" },
    store: { type: "string", multiple: true, default: ["postgres"] },
    pooler: { type: "boolean", default: false },
    skew: { type: "string", default: "0" },
    hangs: { type: "boolean", default: false },
    minutes: { type: "string", default: "30" },
    write: { type: "boolean", default: false },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
const PAUSE = { from: 300, to: 2000 } as const;
const command = ["node scripts/continuity-chaos/main.ts", ...process.argv.slice(2)].join(" ");
const seed = values.seed ?? String(randomInt(1_000_000));
console.log(`seed ${seed}`);

// So that what was started is ended too.
endWithSignals();

const runs: Run[] = [];
for (const store of values.store) {
  if (store !== "postgres" && store !== "sqlite")
    throw new Error(`Expected --store postgres or sqlite, found ${store}.`);
  const steps = Number(store === "sqlite" ? (values["sqlite-steps"] ?? values.steps) : values.steps);
  const options = {
    store,
    seed,
    steps,
    workers: Number(values.workers),
    workflows: Number(values.workflows),
    pause: PAUSE,
    longestMs: Number(values.minutes) * 60_000,
    // One machine has one clock, and a file no server.
    ...(store === "postgres" ? { pooler: values.pooler, skewMs: Number(values.skew) * 1000, hangs: values.hangs } : {}),
  } as const;
  const result = await playRun({ ...options, say: (line) => console.error(line) });
  runs.push({ options, result });
  for (const fault of result.faults) console.log(fault);
  if (result.faults.length > 0) process.exitCode = 1;
}
printTable(runRows(runs));
console.log("");
printTable(ruleRows(runs));
if (values.write) {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, "continuity-chaos.md"), formatReport(command, runs));
  console.log("wrote results/continuity-chaos.md");
}
