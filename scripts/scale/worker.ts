/** Grows one subject to each size and sends what a unit costs there; a process of its own has a memory of its own. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SUBJECTS } from "./subjects.ts";

/** What one run of a subject's work cost at a size. */
export interface Point {
  readonly size: number;
  readonly units: number;
  /** CPU time for one unit, all threads, in microseconds: the least of the rounds. */
  readonly microseconds: number;
  /** What the process had at most by then, with the data that was made for it, in MB. */
  readonly memory: number;
  /** What its files take, in bytes. */
  readonly disk: number;
}

const MIN_ROUNDS = 3;
const MAX_ROUNDS = 200;
const LONG_ENOUGH_MS = 500;

const [, , name = "", folder = "", ...sizes] = process.argv;
const grow = SUBJECTS[name]!(folder);
for (const size of sizes.map(Number)) {
  const { units, make, work } = await grow(size);
  let least = Infinity;
  const began = performance.now();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (round >= MIN_ROUNDS && performance.now() - began > LONG_ENOUGH_MS) break;
    const made = make?.();
    const before = process.cpuUsage();
    await work(made);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  const point: Point = {
    size,
    units,
    microseconds: least / units,
    memory: Math.round(process.resourceUsage().maxRSS / 1024),
    disk: readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0),
  };
  await new Promise((sent) => process.send!(point, sent));
}
process.exit();
