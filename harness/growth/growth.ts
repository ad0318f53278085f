/** Measures how the work of the sources grows with their input, in a process of its own for each kind of input. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Growth, Order } from "./measure.ts";

const MEASURE = fileURLToPath(new URL("measure.ts", import.meta.url));
/** What optimised code calls inline is not counted: without it the counts are the same in every run. */
const FLAGS = ["--no-opt", "--no-maglev"];

/** Work that grows by this power of the input, or by more, is a fault. n·log n stays below. */
export const TOO_STEEP = 1.2;

/** The power of the input by which the work grows, from n to 4n. */
export function computeExponent({ counts }: Growth): number {
  const [first = 0, , last = 0] = counts;
  return Math.log2(last / first) / 2;
}

/** What was measured, each subject's own families together as soon as they are done. */
export async function measure(
  order: Order,
  onSubject: (growths: readonly Growth[]) => void = () => undefined,
): Promise<Growth[]> {
  const all: Growth[] = [];
  const child = fork(MEASURE, [JSON.stringify(order)], {
    execArgv: FLAGS,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString("utf8")}`.slice(-2000)));
  child.on("message", (growths: Growth[]) => {
    for (const growth of growths) all.push(growth);
    onSubject(growths);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once("error", reject);
  child.once("close", (code) =>
    code === 0 ? resolve() : reject(new Error(`Expected the measuring process to end with 0, found ${code}: ${said}`)),
  );
  await promise;
  return all;
}

/**
 * Those of the growths that are too steep, measured again with four times the input, and those that threw. A cost with
 * a bound (a text that is read up to some length, a walk that begins at some depth) looks steep where it sets in, and
 * flat behind it.
 */
export async function findSteep(growths: readonly Growth[], n: number): Promise<Growth[]> {
  const suspects = growths.filter((growth) => growth.thrown !== undefined || !(computeExponent(growth) < TOO_STEEP));
  const again: Growth[] = [];
  for (const [subject, ones] of Map.groupBy(suspects, (growth) => growth.subject)) {
    const families = ones.map(({ family }) => family);
    for (const growth of await measure({ kind: ones[0]!.kind, n: 4 * n, subject, families })) again.push(growth);
  }
  return again.filter((growth) => growth.thrown !== undefined || !(computeExponent(growth) < TOO_STEEP));
}
