import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, revert } from "../../src/patching/apply.ts";
import { isMarked } from "../../src/patching/base/marks.ts";
import { hashTree, project } from "./fixture.ts";
import { killedAt, killsAtSteps, SOURCE, stub } from "./kill-cases.ts";

// An odd number, so that both commands take over; every step of all of them: kill.heavy.test.ts.
killsAtSteps("apply", "the published OpenClaw", 1);
killsAtSteps("revert", "the published OpenClaw", 3);
// The steps are the same, what is staged and given back is not.
killsAtSteps("apply", "a fork", 5);

test("two at once: the second is told to wait, and nothing is changed", async () => {
  const { root } = await project("2026.9.6");
  const before = hashTree(root);
  let second: unknown;
  apply(root, {
    ...stub,
    onStep: () => {
      if (second !== undefined) return;
      const script = `import { apply } from ${JSON.stringify(SOURCE)};
try { apply(${JSON.stringify(root)}, ${JSON.stringify(stub)}); console.log("applied"); } catch (error) { console.log(error.code, error.message); }`;
      second = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }).stdout;
    },
  });
  expect(second).toMatch(new RegExp(`^busy expected to be the only one .*process ${process.pid} at work in it`));
  revert(root);
  expect(hashTree(root)).toEqual(before);
});

test("what an interrupted swap leaves in the guard's place lets OpenClaw run as published, and says so", async () => {
  const { root, files } = await project("2026.9.6");
  expect(killedAt(6, root, "apply")).toBe(true);
  expect(files.some((file) => isMarked(readFileSync(join(root, file), "utf8")))).toBe(true);
  writeFileSync(
    join(root, "try.mjs"),
    `const guard = await import("./dist/openclaw-integrity.mjs");
const entries = { entries: [1] }, read = async () => 1;
console.log(guard.loadTranscript(entries) === entries, guard.whenIndexed(read) === read, await guard.guardHistory({}), guard.guardSession({}), await guard.repairSessionFile("x"));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "try.mjs")], { encoding: "utf8" });
  expect(stdout).toMatch(/^true true /);
  expect(stderr).toContain("the patch was interrupted and is off; run: openclaw-integrity apply");
});
