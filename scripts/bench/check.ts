import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import { measureApart, type Task } from "./process.ts";

/** How much a call on 1,000 messages costs, in times of JSON.stringify of the same list, by API and call. */
type Costs = Record<string, number>;

interface Recorded {
  /** The major version of Node: another engine has other ratios. */
  readonly node: number;
  readonly costs: Costs;
}

const FILE = fileURLToPath(new URL("costs.json", import.meta.url));
const MESSAGES = 1000;
/** A call that costs more than this times what is recorded has become slower, against what all of them have become. */
const ALLOWED = 1.25;
/** What all calls together may have become on another or a loaded machine, whose JSON.stringify is faster against our own code. */
const MACHINE = 2;
/** What is less than this cannot be told apart. */
const SLACK = 0.01;
/** A process can have bad luck with what its engine optimises, hence a slow call is measured again before it is told. */
const TRIES = 4;
const TASKS: readonly Task[] = ["history", ...APIS];
const NODE = Number(process.versions.node.split(".")[0]);

/**
 * `npm run bench -- --check [--write]`: compares what the pure functions cost with what is recorded, or records it. The
 * cost is the least of several processes. Prints a line for each call; the exit code is 1 where one has become slower
 * than the others, or all have by more than machines differ in.
 */
export async function checkCosts(write: boolean): Promise<void> {
  const recorded = write ? undefined : readRecorded();
  if (recorded && recorded.node !== NODE) {
    console.log(`Not compared: the costs are recorded with Node ${recorded.node}, and this is Node ${NODE}.`);
    return;
  }
  const costs: Costs = {};
  const before = recorded?.costs ?? {};
  let machine = 1;
  let slow: string[] = [];
  for (let time = 0; time < TRIES; time++) {
    const tasks = TASKS.filter((task) => time === 0 || slow.some((name) => name.startsWith(`${task} `)));
    for (const task of tasks)
      for (const { name, jsonRatio } of await measureApart(task, [MESSAGES]))
        costs[`${task} ${name}`] = Math.min(costs[`${task} ${name}`] ?? Infinity, jsonRatio);
    if (!recorded) continue;
    machine = Math.max(1, findMedian(Object.keys(costs).map((name) => costs[name]! / (before[name] ?? 0))));
    // A call that is not recorded is slow: nothing vouches for it.
    slow = Object.keys(costs).filter((name) => !(costs[name]! <= (before[name] ?? 0) * machine * ALLOWED + SLACK));
    if (slow.length === 0) break;
  }
  for (const [name, cost] of Object.entries(costs))
    console.log(`${name}: ${cost.toFixed(3)} times JSON.stringify${recorded ? `, recorded ${before[name]}` : ""}`);
  if (!recorded) {
    const rounded = Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, Number(cost.toFixed(3))]));
    writeFileSync(FILE, `${JSON.stringify({ node: NODE, costs: rounded } satisfies Recorded, undefined, 2)}\n`);
    return;
  }
  console.log(`all: ${machine.toFixed(2)} times what is recorded, at most ${MACHINE}`);
  if (slow.length === 0 && machine <= MACHINE) return;
  console.error(
    `Expected each call at most ${ALLOWED} times what scripts/bench/costs.json records and all calls have become, found ` +
      `more for ${slow.join(", ") || "all of them"}, in each of ${TRIES} processes. Make them faster, or record the new ` +
      "costs by npm run bench -- --check --write.",
  );
  process.exitCode = 1;
}

function findMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function readRecorded(): Recorded {
  return JSON.parse(readFileSync(FILE, "utf8")) as Recorded;
}
