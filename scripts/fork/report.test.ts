import { expect, test } from "vitest";
import { isGood, formatReport } from "./report.ts";
import type { ForkRun } from "./fork.ts";

const FAULT = "a-case on anthropic-messages: answered both; lost a word";
const tally = { runs: 22, bricked: 0, lossy: 1, good: 21 };
const run: ForkRun = {
  release: "2026.4.12-beta.1",
  notes: ["one asset is missing"],
  points: { "session-load": 2 },
  series: { built: [{ subject: "vendor: add the guard" }], commits: 1 },
  proof: "proven: 6 of 6 sessions answered, nothing lost",
  cases: { stock: { ...tally, bricked: 7 }, patched: tally, faults: [FAULT] },
};

test("a fault that published releases have too is said with them, and the command that found it ends with 1", () => {
  const page = formatReport([{ run, command: "npm run trial fork -- --source b.txz" }], {
    previous: "# Page\n\n| 2026.2.3 | 9 |\n\n## 2026.2.3\n\nBefore.\n",
    matrix: `- 2026.4.11: ${FAULT}\n- 2026.4.2: ${FAULT}\n- 2026.4.2: another\n`,
  });
  expect(page).toContain(
    "| 2026.4.12-beta.1 | 2 | 1 of 1 | proven: 6 of 6 sessions answered, nothing lost | 22 | 7, 1 | 0, 1 |",
  );
  expect(page).toContain(`${FAULT} (so on published releases too: 2026.4.11, 2026.4.2, see [matrix](matrix.md))`);
  expect(page).toContain("`npm run trial fork -- --source b.txz`");
  expect(page).toContain("Exit code 1.");
  expect(page.indexOf("Before.")).toBeLessThan(page.indexOf("## 2026.4.12-beta.1"));
});

test("a commit that does not build is no success, whatever the whole does", () => {
  const { cases: _cases, ...without } = run;
  expect(isGood(without)).toBe(true);
  const failed = { step: "type check (commit-2)", reason: "TS2307" };
  const series = { built: [{ subject: "vendor: add the guard" }], commits: 2, failed };
  expect(isGood({ ...without, series })).toBe(false);
  const page = formatReport([{ run: { ...without, series }, command: "c" }], { previous: "", matrix: "" });
  expect(page).toContain("| 1 of 2 |");
  expect(page).toContain("**Does not build**: type check (commit-2): TS2307");
});
