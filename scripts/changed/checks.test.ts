import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHECKS, listChecks } from "./checks.ts";

const ROOT = join(import.meta.dirname, "../..");

it("every room of src has checks, and each check is there to be run", () => {
  const rooms = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(
    rooms.filter(({ name }) => !CHECKS.some(({ of }) => of.some((start) => `src/${name}/`.startsWith(start)))),
  ).toEqual([]);
  const tests = CHECKS.flatMap((one) => one.tests);
  expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it("a change has the tests of its room, its own, and those of every change, each once", () => {
  expect(
    listChecks(["src/register/hook.ts", "test/register/hook.test.ts", "scripts/port/port.ts", "README.md"]),
  ).toEqual({
    tests: ["src/register", "test/register", "scripts/port", "test/layout", "test/examples"],
    scripts: [],
  });
  expect(listChecks(["src/wire/heal.ts", "src/wire/prepare.ts"]).scripts).toEqual(["trial fuzz -- --runs 2000"]);
});
