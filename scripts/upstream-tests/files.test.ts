import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { pnpmCalls, parseShard, testFiles } from "./files.ts";

function treeWith(...files: string[]): string {
  const root = newFolder();
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  return root;
}

test("tests that need keys are not run, and no file is in two shards or in none", () => {
  const files = ["src/agents/a.test.ts", "src/agents/b/c.test.ts", "src/agents/d.test.ts"];
  const root = treeWith(...files, "src/agents/e.live.test.ts", "src/agents/f.ts", "src/gateway/g.test.ts");
  expect(testFiles(root, ["src/agents/**"])).toEqual(files);
  const parts = [1, 2].map((at) => testFiles(root, ["src/agents/**"], { at, of: 2 }));
  expect(parts.flat().toSorted()).toEqual(files);
});

test("a shard that does not exist is no shard", () => {
  expect(["2/4", "0/4", "5/4", "1", "a/b"].map(parseShard)).toEqual([{ at: 2, of: 4 }, ...Array(4).fill(undefined)]);
});

test("a failure among the unit tests of an early tree does not leave out its gateway's tests", () => {
  const early = treeWith("vitest.unit.config.ts");
  const calls = pnpmCalls(early, ["src/agents/a.test.ts", "src/gateway/g.test.ts"], ["--x"]);
  expect(calls.map(({ args }) => args.slice(-2))).toEqual([
    ["vitest.unit.config.ts", "src/agents/a.test.ts"],
    ["vitest.gateway.config.ts", "src/gateway/g.test.ts"],
  ]);
  expect(pnpmCalls(treeWith("package.json"), ["src/agents/a.test.ts"], ["--x"])).toEqual([
    { args: ["run", "test", "--x", "src/agents/a.test.ts"] },
  ]);
});

test("end-to-end tests run by their own configuration, with those that are called otherwise", () => {
  const root = treeWith("package.json", "test/vitest/vitest.e2e.config.ts");
  writeFileSync(
    join(root, "test/vitest/vitest.e2e.config.ts"),
    'include: ["src/**/*.e2e.test.ts", "src/gateway/h.test.ts"]',
  );
  const files = ["src/agents/a.test.ts", "src/agents/b.e2e.test.ts", "src/gateway/h.test.ts"];
  expect(pnpmCalls(root, files, ["--x"])).toEqual([
    { args: ["run", "test:e2e", "--x", "src/agents/b.e2e.test.ts", "src/gateway/h.test.ts"] },
    { args: ["run", "test", "--x", "src/agents/a.test.ts"] },
  ]);
});
