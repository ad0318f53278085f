import { execSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { patchState } from "../../src/patching/patch-state.ts";
import { readRecord, recordFile } from "../../src/patching/write/record.ts";
import { cli, newProject, projectWith, smallTarball, tomorrow, userEnvironment } from "./fixture.ts";
import { ensureBinaries } from "./package-managers.ts";

const UPDATED =
  /^OpenClaw was updated from 2026\.9\.6 to 2026\.9\.7 \(package changed at 20\d\d-.*Z\), and the update removed the patch\./;
const TOLD = new RegExp(`${UPDATED.source} Run: openclaw-integrity setup\n`);

describe("an update that takes the patch away is told as what it is", () => {
  test("with npm, which replaces the files in place", async () => {
    const env = userEnvironment(newFolder());
    const folder = newProject();
    const [older, newer] = [await smallTarball(), await smallTarball(tomorrow)];
    execSync(`npm install --no-audit ${older}`, { cwd: folder, env, stdio: "pipe" });
    expect(cli(["apply"], folder, env).status).toBe(0);
    const root = join(folder, "node_modules", "openclaw");
    expect(patchState(root, [root], env)).toMatchObject({
      fate: "patched",
      sentence: "OpenClaw 2026.9.6 is patched by openclaw-integrity.",
    });
    execSync(`npm install --no-audit ${newer}`, { cwd: folder, env, stdio: "pipe" });
    expect(cli(["status"], folder, env)).toMatchObject({ status: 3, stdout: expect.stringMatching(TOLD) });
    expect(patchState(root, [root], env)).toMatchObject({
      fate: "updated",
      sentence: expect.stringMatching(UPDATED),
      todo: "Run: npx openclaw-integrity apply",
    });
    // Nobody has looked at that release yet: it is patched by what its code says, and the user is told so. The small
    // package cannot be started, so that nothing can be proved.
    expect(cli(["apply", "--no-prove"], folder, env)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("warning: OpenClaw 2026.9.7 is not among the tested releases"),
    });
    execSync("npm ci --no-audit", { cwd: folder, env, stdio: "pipe" });
    expect(cli(["status"], folder, env)).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^OpenClaw 2026\.9\.7 was reinstalled .*removed the patch/),
    });
  });

  test("with pnpm, where the new release is another folder behind the same link", async () => {
    const env = userEnvironment(newFolder(), [ensureBinaries("pnpm-10")]);
    const folder = newProject();
    execSync(`pnpm add ${await smallTarball()}`, { cwd: folder, env, stdio: "pipe" });
    expect(cli(["apply"], folder, env).status).toBe(0);
    execSync(`pnpm add ${await smallTarball(tomorrow)}`, { cwd: folder, env, stdio: "pipe" });
    expect(cli(["status"], folder, env)).toMatchObject({ status: 3, stdout: expect.stringMatching(TOLD) });
  });
});

test("a record that cannot be written is a warning; OpenClaw is patched and reverted all the same", async () => {
  const home = newFolder();
  const env = userEnvironment(home);
  writeFileSync(join(home, ".openclaw"), "a file where the folder should be");
  const { folder } = await projectWith("2026.9.6");
  expect(cli(["apply", "--json"], folder, env)).toMatchObject({
    status: 0,
    data: { action: "applied", warnings: [expect.stringContaining("could not be written")] },
  });
  expect(cli(["apply", "--quiet"], folder, env)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("warning: the record"),
  });
  expect(cli(["revert"], folder, env).status).toBe(0);
});

test("apply and revert keep the record; status says what is recorded and gone", async () => {
  const home = newFolder();
  const env = userEnvironment(home);
  mkdirSync(join(home, ".openclaw", "integrity"), { recursive: true });
  writeFileSync(recordFile(env), '{"version": 1, "applied": [{"root"');
  const [first, second] = [await projectWith("2026.9.6"), await projectWith("2026.9.6")];
  const roots = (): unknown => readRecord(env).map(({ root }) => root);
  for (const { folder } of [first, second])
    expect(cli(["apply"], folder, env)).toMatchObject({ status: 0, stderr: "" });
  expect(roots()).toEqual([first.root, second.root]);
  expect(cli(["revert"], first.folder, env).status).toBe(0);
  expect(roots()).toEqual([second.root]);
  rmSync(second.folder, { recursive: true });
  const { status, stdout } = cli(["status"], first.folder, env);
  expect(status).toBe(3);
  expect(stdout).toMatch(/^OpenClaw 2026\.9\.6 is not patched\. Run: /);
  expect(stdout).toMatch(
    new RegExp(`^OpenClaw 2026\\.9\\.6 in ${second.root}, patched at .*, is no longer there\\.$`, "m"),
  );
});
