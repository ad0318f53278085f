import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { patchFileNames } from "../../src/patching/patch-file.ts";
import type { PatchFiles } from "../../src/patching/patch-file.ts";
import { refresh, removeStray } from "./refresh.ts";
import { newFolder } from "../../harness/temporary.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const names = patchFileNames("2026.9.6");

let home = "";
let folder = "";
beforeEach(() => {
  home = newFolder();
  folder = join(home, "patches");
  mkdirSync(folder);
});

const files = (guard: string, callSites: string): PatchFiles => ({
  guard: { name: names.guard, text: `${guard}\n` },
  callSites: { name: names.callSites, text: `${callSites}\n` },
});
const there = (): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));

test("a check passes without the guard's part and with any, writes nothing, and fails on other call sites", () => {
  refresh(folder, files("guard", "sites"), "write");
  expect(refresh(folder, files("another guard", "sites"), "check").faults).toEqual([]);
  rmSync(join(folder, names.guard));
  expect(refresh(folder, files("guard", "sites"), "check").faults).toEqual([]);
  expect(refresh(folder, files("guard", "other sites"), "check").faults).toEqual([
    `patches/${names.callSites} is not what the patch points give`,
  ]);
  rmSync(join(folder, names.callSites));
  expect(refresh(folder, files("guard", "sites"), "check").faults).toHaveLength(1);
  expect(there()).toEqual({});
});

test("files of no release go, and what is no patch file stays", () => {
  refresh(folder, files("guard", "sites"), "write");
  for (const name of ["openclaw+2026.9.6.patch", "openclaw+2026.9.5+001+guard.patch", "README.md"])
    writeFileSync(join(folder, name), "");
  expect(removeStray(folder, ["2026.9.6"], "check").faults).toHaveLength(2);
  expect(removeStray(folder, ["2026.9.6"], "write").faults).toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual(["README.md", names.guard, names.callSites].toSorted());
});

test("git has the call sites, which a person reads, and not the guard's part, which is built", () => {
  copyFileSync(join(REPOSITORY, ".gitignore"), join(home, ".gitignore"));
  refresh(folder, files("guard", "sites"), "write");
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: home, encoding: "utf8" });
  git("init", "--quiet");
  expect(git("status", "--porcelain", "-uall", "patches").trim()).toBe(`?? patches/${names.callSites}`);
});
