/** How long tests wait: limits are for a quiet machine and grow with what slows the machine that runs them. */
import { spawnSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";

const VARIABLE = "TEST_PATIENCE";
const [LEAST, MOST] = [1, 8];
// Measured on the quiet machine that the limits were chosen on.
const QUIET = { startMs: 27, loopMs: 62 };
const TRIES = 5;

/**
 * A limit of so many milliseconds on a quiet machine, as it is on this one: 1 to 8 times that. For limits only, behind
 * which a test gives up. What a test asserts of a time must not depend on it. The same number where nothing was calibrated.
 */
export function patience(ms: number): number {
  return Math.round(ms * factor());
}

/**
 * Measures how slow the machine is, by starting Node, by a loop, and by the system's load for each core, and keeps the
 * slowest for this process and its children; later calls return what was measured. TEST_PATIENCE=3 sets it instead.
 */
export function calibrate(): number {
  if (process.env[VARIABLE] === undefined) {
    const start = median(() => spawnSync(process.execPath, ["-e", "0"]));
    const slowest = Math.max(
      start / QUIET.startMs,
      median(loop) / QUIET.loopMs,
      (loadavg()[0] ?? 0) / availableParallelism(),
    );
    process.env[VARIABLE] = Math.min(MOST, Math.max(LEAST, slowest)).toFixed(1);
  }
  return factor();
}

function factor(): number {
  const text = process.env[VARIABLE] ?? "1";
  const value = Number(text);
  if (value >= LEAST) return value;
  throw new Error(`expected ${VARIABLE} to be a number from ${LEAST}; found ${JSON.stringify(text)}`);
}

function median(work: () => unknown): number {
  const times = Array.from({ length: TRIES }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return times.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)]!;
}

function loop(): number {
  let value = 0;
  for (let at = 0; at < 10_000_000; at++) value = (Math.imul(value, 31) + at) | 0;
  return value;
}
