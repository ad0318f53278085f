/**
 * `npm run trial library-sessions [-- --sessions 100000] [--seed S] [--one-kill-in 50] [--folder F] [--minutes M] [--write]`:
 * random sessions of the library against the strict providers, in processes that are killed. Exit code 1 when anything
 * was wrong. `--write` makes results/library-sessions.md. A folder in memory makes it faster.
 */
import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printTable } from "../fuzz/table.ts";
import { formatReport, formatRows } from "./report.ts";
import { playRun } from "./run.ts";

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "100000" },
    seed: { type: "string" },
    "one-kill-in": { type: "string", default: "50" },
    folder: { type: "string" },
    minutes: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
const seed = values.seed ?? String(randomInt(1_000_000));
console.log(`seed ${seed}`);
const result = await playRun({
  sessions: Number(values.sessions),
  seed,
  oneKillIn: Number(values["one-kill-in"]),
  say: (line) => console.error(line),
  ...(values.folder !== undefined && { folder: values.folder }),
  ...(values.minutes !== undefined && { longestMs: Number(values.minutes) * 60_000 }),
});
printTable(formatRows(result));
for (const fault of result.faults.slice(0, 50)) console.log(fault);
if (result.faults.length > 0) process.exitCode = 1;
if (values.write) {
  mkdirSync(RESULTS, { recursive: true });
  const limit = values.minutes === undefined ? "" : ` --minutes ${values.minutes}`;
  const command = `npm run trial library-sessions -- --sessions ${values.sessions} --seed ${seed}${limit}`;
  writeFileSync(`${RESULTS}library-sessions.md`, formatReport(command, seed, Number(values.sessions), result));
  console.log("wrote results/library-sessions.md");
}
