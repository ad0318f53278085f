/**
 * `npm run trial scale [-- --largest 1000000] [--only validate] [--write]`: what one unit costs where there are ten times
 * as many, ten times again and so on, by CPU time, each subject in a process of its own. Exit code 1 where a unit costs
 * more than three times what it costs at a thousand. `--write` makes results/scale.md.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printTable } from "../fuzz/table.ts";
import { formatReport, formatRows, isFlat, readKernelRates, type Measured } from "./report.ts";
import { SUBJECTS } from "./subjects.ts";
import type { Point } from "./worker.ts";

const { values } = parseArgs({
  options: {
    largest: { type: "string", default: "1000000" },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
  },
});
const sizes: number[] = [];
for (let size = 10; size <= Number(values.largest); size *= 10) sizes.push(size);
const names = Object.keys(SUBJECTS).filter((name) => name.startsWith(values.only));
if (names.length === 0 || sizes.length === 0) {
  const expected = Object.keys(SUBJECTS).map((name) => name.split(":")[0]);
  console.error(
    `expected --only ${expected.join(", ")} and --largest of 10 or more; found ${process.argv.slice(2).join(" ")}`,
  );
  process.exit(2);
}
// A file system in memory, where there is one: the disk's own time is not what grows.
const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const measured: Measured[] = [];
for (const name of names) measured.push({ name, points: await measureSubject(name) });
printTable(formatRows(measured));
const steep = measured.filter((one) => !isFlat(one));
for (const { name } of steep) console.log(`${name} costs more than three times what it costs at a thousand`);
if (values.write) {
  writeFileSync(
    fileURLToPath(new URL("../../results/scale.md", import.meta.url)),
    formatReport(
      "npm run trial scale -- --write",
      measured,
      readKernelRates(readFileSync(new URL("../../results/bench-continuity.md", import.meta.url), "utf8")),
    ),
  );
  console.log("wrote results/scale.md");
}
if (steep.length > 0) process.exitCode = 1;

async function measureSubject(name: string): Promise<readonly Point[]> {
  const folder = mkdtempSync(join(parent, "scale-"));
  try {
    const worker = fork(new URL("worker.ts", import.meta.url), [name, folder, ...sizes.map(String)], {
      execArgv: ["--no-warnings", "--max-old-space-size=12000"],
    });
    const points: Point[] = [];
    worker.on("message", (point: Point) => {
      points.push(point);
      console.error(`${name}, ${point.size}: ${point.microseconds.toFixed(1)} µs, ${point.memory} MB`);
    });
    const [code] = (await once(worker, "exit")) as [number | null];
    if (code !== 0) throw new Error(`${name} ended with code ${String(code)} behind ${points.at(-1)?.size ?? 0}`);
    return points;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
