/** Each pull request's own test on the functions of the release, without and with its change: OpenClaw is compiled. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Release } from "../../src/patching/base/releases.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { runOwnTest, type OwnResult } from "./own-test.ts";
import { readProofPlan, type CompiledEdit } from "./proof-plan.ts";
import { listSeries } from "./pull-request.ts";
import { makeTrial } from "./trial.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const SERIES = join(REPOSITORY, "upstream");
/** What has to be merged before. */
const BASE: Readonly<Record<string, string>> = { "02-recover-from-rejected-history": "01-classify-pairing-rejections" };
const readPlan = (name: string): ReturnType<typeof readProofPlan> =>
  readProofPlan(join(SERIES, name, "proof.json"), `${name}/proof.json`);

test.each(listSeries(SERIES))("%s: its test fails without the change and passes with it", async (name) => {
  const { release, edits, ownTest } = readPlan(name);
  const { stock } = await ensureRelease(release as Release);
  const diff = readFileSync(join(SERIES, name, "change.diff"), "utf8");
  const packages = [...new Set([...edits.map((edit) => edit.package), "openclaw"])];
  const run = async (made: readonly CompiledEdit[]): Promise<readonly OwnResult[]> => {
    const trial = makeTrial(join(stock, "..", ".."), join(REPOSITORY, ".cache", "upstream", "proof"), made);
    try {
      return await runOwnTest(diff, { root: trial.root, packages, folder: join(trial.root, "..", "own") });
    } finally {
      trial.remove();
    }
  };
  const base = BASE[name];
  const before = await run(base === undefined ? [] : readPlan(base).edits);
  expect({ tests: before.length, failBefore: before.filter(({ passed }) => !passed).length }).toEqual(ownTest);
  const after = await run(edits);
  expect(after.filter(({ passed }) => !passed)).toEqual([]);
  expect(after).toHaveLength(ownTest.tests);
  const { tests, failBefore } = ownTest;
  const text = readFileSync(join(SERIES, name, "PR.md"), "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(`${failBefore} of ${tests} fail before, ${tests} of ${tests} pass after`);
});
