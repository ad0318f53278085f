import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { asNobody } from "../../../harness/nobody.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { makeHome } from "./home.ts";

afterEach(() => void vi.unstubAllEnvs());

function homeIn(temporary: string): string {
  vi.stubEnv("TMPDIR", temporary);
  const home = makeHome();
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}

const isWindows = process.platform === "win32";

test("a home is in the temporary folder, and its user's alone", () => {
  const temporary = newFolder();
  chmodSync(temporary, 0o1777);
  const home = homeIn(temporary);
  expect(dirname(home)).toBe(temporary);
  if (!isWindows) expect(statSync(home).mode & 0o777).toBe(0o700);
});

test.skipIf(isWindows)("no home is in a folder in which another user could replace it", () => {
  const temporary = newFolder();
  const inside = join(temporary, "inside");
  mkdirSync(inside);
  chmodSync(temporary, 0o777);
  for (const folder of [temporary, inside]) expect(dirname(homeIn(folder))).toBe("/tmp");
});

test.skipIf(asNobody.uid === undefined)("nor in a folder of another user's", () => {
  const temporary = newFolder();
  chownSync(temporary, asNobody.uid!, asNobody.gid!);
  chmodSync(temporary, 0o1777);
  expect(dirname(homeIn(temporary))).toBe("/tmp");
});

test.skipIf(isWindows)("nor in one that is not there", () => {
  expect(dirname(homeIn(join(newFolder(), "gone")))).toBe("/tmp");
});

test.skipIf(isWindows)("nor where the paths of its sockets would be too long", () => {
  const temporary = join(newFolder(), "x".repeat(80));
  mkdirSync(temporary);
  expect(dirname(homeIn(temporary))).toBe("/tmp");
});

test("a home whose process was killed with all others is removed by the next proof; one that is in use stays", () => {
  const temporary = newFolder();
  chmodSync(temporary, 0o1777);
  const used = homeIn(temporary);
  const [killed, old, other] = ["killed", "old", "other"].map((name) =>
    join(temporary, `${name === "other" ? "" : "openclaw-integrity-proof-"}${name}`),
  ) as [string, string, string];
  for (const home of [killed, old, other]) mkdirSync(home);
  writeFileSync(join(killed, "keeper"), `${2 ** 22 - 3} 1`);
  // Another process has its id by now.
  if (process.platform === "linux") writeFileSync(join(killed, "keeper"), `${process.pid} 1`);
  utimesSync(old, 1, 1);
  homeIn(temporary);
  expect([used, killed, old, other].map((home) => existsSync(home))).toEqual([true, false, false, true]);
});
