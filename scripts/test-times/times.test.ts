import { expect, test } from "vitest";
import { pageOf } from "./times.ts";

const FACTS = { day: "2026-11-24", node: "v24.0.0", cores: 2, load: [0.5, 2.25], patience: 1.5, wallMs: 9000 } as const;
const file = (name: string, ms: number, failed = 0) => ({ file: name, tests: 3, skipped: 1, failed, ms });

test("the slowest file and the slowest room are first, the sums are whole, and a red run is not told as a green one", () => {
  const files = [file("src/a/x.test.ts", 1000), file("src/b/y.test.ts", 2500, 2), file("src/a/deep/z.test.ts", 2000)];
  const page = pageOf(files, FACTS);
  expect(page.match(/^\| .*\d \|$/gm)).toEqual([
    "| src/a | 2 | 6 | 3.0 |",
    "| src/b | 1 | 3 | 2.5 |",
    "| all | 3 | 9 | 5.5 |",
    "| src/b/y | 3 | 1 | 2.5 |",
    "| src/a/deep/z | 3 | 1 | 2.0 |",
    "| src/a/x | 3 | 1 | 1.0 |",
  ]);
  expect(page).toContain("Red: 2, in src/b/y. The files took 9.0 s");
  expect(page).toContain("load average 0.5 before and 2.3 after; limits 1.5 times");
});
