import { execSync } from "node:child_process";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { cli, newProject, projectWith, smallPackage, smallTarball, userEnvironment } from "./fixture.ts";
import { ensureBinaries, type PackageManager } from "./package-managers.ts";

let tarball = "";
beforeAll(async () => {
  tarball = await smallTarball();
});

/** A user with a home of their own, the package managers, and what they have set for global installs. */
function user(managers: readonly PackageManager[]): NodeJS.ProcessEnv {
  const home = newFolder();
  const pnpm = join(home, "pnpm");
  mkdirSync(join(pnpm, "bin"), { recursive: true });
  const own = [join(home, "npm", "bin"), pnpm, join(pnpm, "bin"), join(home, "yarn", "bin"), join(home, ".bun", "bin")];
  const env = userEnvironment(home, [...managers.map(ensureBinaries), ...own]);
  // Yarn classic puts what root installs into a folder of the system; here it stays in this home.
  writeFileSync(
    join(home, ".yarnrc"),
    `global-folder "${join(home, "yarn-global")}"\nprefix "${join(home, "yarn")}"\n`,
  );
  return { ...env, npm_config_prefix: join(home, "npm"), PNPM_HOME: pnpm };
}

describe("the OpenClaw of the machine", () => {
  test.each<readonly [string, PackageManager | undefined, (tarball: string) => string, readonly string[]]>([
    ["npm", undefined, (file) => `npm install -g --no-audit ${file}`, ["npm", "command"]],
    ["pnpm 10", "pnpm-10", (file) => `pnpm add -g ${file}`, ["pnpm", "command"]],
    ["pnpm 12", "pnpm-12", (file) => `pnpm add -g ${file}`, ["pnpm", "command"]],
    ["Yarn classic", "yarn-1", (file) => `yarn global add file:${file}`, ["yarn", "command"]],
    ["Bun", "bun", (file) => `bun add -g ${file}`, ["bun", "command"]],
  ])("is found once as installed by %s, by its folder and by the command in PATH", (_, manager, command, ways) => {
    const env = user(manager === undefined ? [] : [manager]);
    const elsewhere = newFolder();
    execSync(command(tarball), { cwd: elsewhere, env, stdio: "pipe" });
    const { status, data } = cli(["apply", "--global", "--json"], elsewhere, env);
    expect({ status, data }).toMatchObject({ status: 0, data: { action: "applied", ways } });
    // What the shell starts is the package that was patched.
    const started = execSync("command -v openclaw", { cwd: elsewhere, env, encoding: "utf8" }).trim();
    expect(cli(["status", "--path", started, "--json"], elsewhere, env)).toMatchObject({
      status: 0,
      data: { installations: [{ root: data["root"] }] },
    });
  });

  test("says that a folder in pnpm's global virtual store is shared by projects", () => {
    const env = user(["pnpm-12"]);
    execSync(`pnpm add -g ${tarball}`, { env, stdio: "pipe" });
    expect(cli(["apply", "--global"], "/", env)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("warning: "),
    });
  });

  test("is not guessed at when two package managers have one each; status shows both", () => {
    const env = user(["bun"]);
    for (const command of [`npm install -g --no-audit ${tarball}`, `bun add -g ${tarball}`])
      execSync(command, { env, stdio: "pipe" });
    const { status, stderr } = cli(["apply", "--global"], "/", env);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /refused \(openclaw-ambiguous\): .*npm.*\(npm, command\); .*\.bun.*\(bun\)\. Name one of these folders with --path/,
    );
    expect(cli(["status", "--global", "--json"], "/", env)).toMatchObject({
      status: 3,
      data: { installations: [{ state: "stock" }, { state: "stock" }] },
    });
  });

  test("is not the one of the project whose node_modules/.bin npx has put into PATH", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const binaries = join(folder, "node_modules", ".bin");
    mkdirSync(binaries);
    symlinkSync(join(root, "openclaw.mjs"), join(binaries, "openclaw"));
    const env = user([]);
    const { status, stderr } = cli(["apply", "--global"], folder, { ...env, PATH: `${binaries}:${env["PATH"]}` });
    expect(status).toBe(1);
    expect(stderr).toMatch(/refused \(openclaw-missing\): .*npm install -g openclaw/);
  });
});

describe("a command in PATH", () => {
  test.each<readonly [string, (entry: string) => string]>([
    [
      "the wrapper that OpenClaw's installer writes",
      (entry) => `#!/usr/bin/env bash\nset -e\nexec "/usr/bin/node" "${entry}" "$@"\n`,
    ],
    [
      "a shim of npm for Windows",
      (entry) =>
        `@ECHO off\r\n"%_prog%"  "%dp0%\\${entry.slice(entry.lastIndexOf("node_modules")).replaceAll("/", "\\")}" %*\r\n`,
    ],
  ])("leads to its package: %s", async (_, text) => {
    const folder = newProject();
    const { root } = await projectWith("2026.9.6");
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "openclaw"));
    const command = join(folder, "openclaw");
    writeFileSync(command, text(join(folder, "node_modules", "openclaw", "openclaw.mjs")));
    chmodSync(command, 0o755);
    expect(cli(["status", "--path", command, "--json"], "/", user([]))).toMatchObject({
      status: 3,
      data: { installations: [{ root }] },
    });
  });

  test("that leads nowhere is refused", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "openclaw"), '#!/bin/sh\nexec node "/nowhere/openclaw.mjs"\n');
    const { status, stderr } = cli(["status", "--path", join(folder, "openclaw")], "/", user([]));
    expect(status).toBe(1);
    expect(stderr).toMatch(/refused \(openclaw-missing\): expected the file that starts OpenClaw/);
  });
});

test("a linked package is patched where it really lies", async () => {
  const source = await smallPackage("2026.9.6");
  const folder = newProject();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(source, join(folder, "node_modules", "openclaw"));
  expect(cli(["apply", "--json"], folder, user([]))).toMatchObject({ status: 0, data: { root: realpathSync(source) } });
});
