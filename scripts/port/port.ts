/** What a maintainer does with a new release, as one command: check, compare, run, record. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PatchError } from "../../src/patching/base/errors.ts";
import type { Explanation } from "../../src/patching/explain.ts";
import { PATCH_POINTS } from "../../src/patching/points/index.ts";
import { openScratch } from "../../harness/scratch.ts";
import { checkRelease } from "../matrix/check.ts";
import { differences } from "../matrix/compare.ts";
import { recordFacts } from "../matrix/facts.ts";
import { checkLine, realLine } from "../matrix/lines.ts";
import { runReal } from "../matrix/real.ts";
import { explained, knownBefore } from "./explained.ts";

/** Options of portRelease. */
export interface PortOptions {
  readonly write: boolean;
  readonly real: boolean;
}

/**
 * Prints what it finds. Returns the exit code: 0 when the release can be recorded as it is, 1 when somebody has to
 * look.
 */
export async function portRelease(release: string, { write, real }: PortOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "openclaw-port-"));
  const scratch = openScratch();
  try {
    return await port(release, folder, scratch.env, { write, real });
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    console.error(`port: ${error.message}`);
    return 1;
  } finally {
    scratch.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

function say(line: string): void {
  console.log(`  ${line}`);
}

async function port(
  release: string,
  folder: string,
  env: Record<string, string>,
  { write, real }: PortOptions,
): Promise<number> {
  const check = await checkRelease(release, join(folder, "check"), say);
  console.log(checkLine(check));
  for (const fault of check.faults) console.log(`  fault: ${fault}`);

  const explanation = await explained(release, join(folder, "new"), say);
  for (const line of pointLines(explanation)) console.log(line);
  const before = knownBefore(release);
  if (before !== undefined) {
    console.log(`\nlook at (against ${before.release}, the last known release before it):`);
    const old = await explained(before.release, join(folder, "old"), say);
    for (const line of differences(
      { root: join(folder, "old"), explanation: old },
      { root: join(folder, "new"), explanation },
    ))
      console.log(`  ${line}`);
  }
  if (check.outcome === "refused" || check.faults.length > 0) return 1;
  if (real) {
    const options = {
      integrity: check.facts.integrity,
      env,
      signal: new AbortController().signal,
      say,
      onRun: () => undefined,
    };
    const run = await runReal(release, "sample", options);
    console.log(`\n${realLine(run)}`);
    for (const fault of run.faults) console.log(`  fault: ${fault}`);
    if (run.faults.length > 0) return 1;
  }
  if (write)
    console.log(
      recordFacts([check.facts])
        ? "recorded in releases/releases.json; now: npm run generate patches"
        : "releases/releases.json has it already",
    );
  else console.log("not recorded; run it with --write to do that");
  return 0;
}

function pointLines({ points }: Explanation): readonly string[] {
  return PATCH_POINTS.flatMap(({ id }) => {
    const point = points.find((one) => one.id === id);
    if (point === undefined) return [];
    const { outcome, found, expected, reason, places } = point;
    const where = places.map(
      ({ file, line, region }) => `    ${file}:${line}${region === undefined ? "" : ` (${region})`}`,
    );
    return [`  ${id}: ${outcome}, ${found} of ${expected}${reason === undefined ? "" : `: ${reason}`}`, ...where];
  });
}
