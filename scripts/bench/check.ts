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
/** A call that costs more than this times what is recorded has become slower. */
const ALLOWED = 1.25;
/** What is less than this cannot be told apart. */
const SLACK = 0.01;
/** A process can have bad luck with what its engine optimises, hence a slow call is measured again before it is told. */
const TRIES = 4;
const TASKS: readonly Task[] = ["history", ...APIS];
const NODE = Number(process.versions.node.split(".")[0]);

/**
 * `npm run bench -- --check [--write]`: compares what the pure functions cost with what is recorded, or records it. The cost is the least of
 * several processes. Prints a line for each call that has become slower; the exit code is 1 then.
 */
export async function checkCosts(write: boolean): Promise<void> {
  const recorded = write ? undefined : readRecorded();
  if (recorded && recorded.node !== NODE) {
    console.log(`Not compared: the costs are recorded with Node ${recorded.node}, and this is Node ${NODE}.`);
    return;
  }
  const costs: Costs = {};
  const slow: string[] = [];
  for (const task of TASKS) {
    const isSlow = (name: string): boolean => !(costs[name]! <= (recorded?.costs[name] ?? 0) * ALLOWED + SLACK);
    for (let time = 0; time < TRIES; time++) {
      for (const { name, jsonRatio } of await measureApart(task, [MESSAGES]))
        costs[`${task} ${name}`] = Math.min(costs[`${task} ${name}`] ?? Infinity, jsonRatio);
      if (recorded && !namesOf(costs, task).some(isSlow)) break;
    }
    for (const name of namesOf(costs, task)) {
      const before = recorded?.costs[name];
      console.log(
        `${name}: ${costs[name]!.toFixed(3)} times JSON.stringify${before === undefined ? "" : `, recorded ${before}`}`,
      );
      if (recorded && isSlow(name)) slow.push(name);
    }
  }
  if (write) {
    const rounded = Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, Number(cost.toFixed(3))]));
    writeFileSync(FILE, `${JSON.stringify({ node: NODE, costs: rounded } satisfies Recorded, undefined, 2)}\n`);
    return;
  }
  if (slow.length === 0) return;
  console.error(
    `Expected at most ${ALLOWED} times what scripts/bench/costs.json records, found more for ${slow.join(", ")}, ` +
      `in each of ${TRIES} processes. Make them faster, or record the new costs by npm run bench -- --check --write.`,
  );
  process.exitCode = 1;
}

function namesOf(costs: Costs, task: Task): string[] {
  return Object.keys(costs).filter((name) => name.startsWith(`${task} `));
}

function readRecorded(): Recorded {
  return JSON.parse(readFileSync(FILE, "utf8")) as Recorded;
}
