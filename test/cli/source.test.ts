import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { newCheckout } from "../patching/checkout-fixture.ts";
import { hashTree } from "../patching/fixture.ts";
import { runHere } from "./in-process.ts";

const run = (...args: readonly string[]) => runHere(newFolder(), args);

test("an option of --source without it patches no installed OpenClaw instead", async () => {
  const installed = newCheckout();
  mkdirSync(join(installed, "dist"));
  const before = hashTree(installed);
  for (const option of [["--patch", join(newFolder(), "series")], ["--dirty"]]) {
    const { status, stderr } = await run("apply", "--path", installed, ...option);
    expect(status).toBe(2);
    expect(stderr).toContain(`expected --source <checkout> beside ${option[0]!}; found none`);
  }
  expect(hashTree(installed)).toEqual(before);
});

test("an empty word after --source or --patch is no folder", async () => {
  const empty = { status: 2, stderr: expect.stringContaining("found an empty word") };
  for (const command of ["apply", "verify", "revert", "explain"])
    expect(await run(command, "--source", "")).toMatchObject(empty);
  expect(await run("apply", "--source", newCheckout(), "--patch", "")).toMatchObject(empty);
});

test("the command that applies the series can be copied, whatever the folder's name is", async () => {
  const folder = join(newFolder(), "it's mine");
  const { status, stdout } = await run("apply", "--source", newCheckout(), "--patch", folder);
  expect(status).toBe(0);
  expect(stdout).toContain(`git am '${folder.replace("'", String.raw`'\''`)}'/*.patch`);
  expect(readdirSync(folder)).toHaveLength(4);
});

test("the warning on an ignored folder tells how to commit it past OpenClaw's commit hook", async () => {
  const root = newCheckout();
  writeFileSync(join(root, ".gitignore"), "vendor/\n");
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const { stderr } = await run("apply", "--source", root);
  expect(stderr).toMatch(/git add --force vendor\/openclaw-integrity, then git commit --no-verify/);
});
