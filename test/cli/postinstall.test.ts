import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findNpmCli } from "../../src/patching/node.ts";
import { cli, newFolder, newProject, removeFolders, smallTarball, userEnvironment } from "./fixture.ts";

afterAll(removeFolders);

const repository = fileURLToPath(new URL("../..", import.meta.url));
const npm = findNpmCli();
const cache = execFileSync(process.execPath, [npm, "config", "get", "cache"], { encoding: "utf8" }).trim();

/** openclaw-integrity as it would be published, an OpenClaw it can patch, and one that it refuses. */
let packed = "";
let sound = "";
let modified = "";
beforeAll(async () => {
  const folder = newFolder();
  execFileSync(process.execPath, [npm, "pack", "--ignore-scripts", "--pack-destination", folder], { cwd: repository, stdio: "pipe" });
  packed = join(folder, readdirSync(folder)[0] ?? "");
  sound = await smallTarball();
  modified = await smallTarball((root) => {
    for (const file of readdirSync(join(root, "dist"))) appendFileSync(join(root, "dist", file), "// mine\n");
  });
});

/** A project that depends on both, in which nothing is installed yet. */
function project(openclaw: string, scripts: Readonly<Record<string, string>> = {}): string {
  return newProject({ scripts, dependencies: { openclaw: `file:${openclaw}`, "openclaw-integrity": `file:${packed}` } });
}

/** Runs npm as a user would; scripts of dependencies are allowed, which since npm 12 the user has to do. */
function runNpm(folder: string, command: string, variables: NodeJS.ProcessEnv = {}): { readonly status: number | null; readonly text: string } {
  const env = { ...userEnvironment(newFolder()), npm_config_cache: cache, ...variables };
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--omit=optional", "--foreground-scripts", "--dangerously-allow-all-scripts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [npm, command, ...options], { cwd: folder, env, encoding: "utf8" });
  return { status, text: stdout + stderr };
}

const statusIn = (folder: string): number | null => cli(["status"], folder, userEnvironment(newFolder())).status;

test("the script of the dependency patches the project's OpenClaw, and npm ci does so again", () => {
  const folder = project(sound);
  expect(runNpm(folder, "install")).toMatchObject({ status: 0, text: expect.stringContaining("OpenClaw 2026.9.6 is patched") });
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect(runNpm(folder, "ci").status).toBe(0);
  expect(statusIn(folder)).toBe(0);
});

test("an OpenClaw that it refuses is a loud warning of the dependency's script, and an error only when asked for", () => {
  const folder = project(modified);
  expect(runNpm(folder, "install")).toMatchObject({ status: 0, text: expect.stringMatching(/!! openclaw-integrity: OpenClaw is NOT patched\n!! refused \(openclaw-modified\)/) });
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect(runNpm(folder, "ci", { OPENCLAW_INTEGRITY_POSTINSTALL: "strict" }).status).not.toBe(0);
});

test("the user's own postinstall patches when the dependency's script may not run, and fails the install when it is refused", () => {
  const scripts = { postinstall: "openclaw-integrity apply" };
  const off = { OPENCLAW_INTEGRITY_POSTINSTALL: "off" };
  const folder = project(sound, scripts);
  expect(runNpm(folder, "install", off)).toMatchObject({ status: 0, text: expect.stringMatching(/postinstall is off[^]*patched \(patch set/) });
  expect(statusIn(folder)).toBe(0);
  expect(runNpm(project(modified, scripts), "install", off)).toMatchObject({ status: 1, text: expect.stringContaining("refused (openclaw-modified)") });
});

test("an OpenClaw that is not there is no error of the dependency's script", () => {
  const folder = newProject({ dependencies: { "openclaw-integrity": `file:${packed}` } });
  expect(runNpm(folder, "install")).toMatchObject({ status: 0, text: expect.stringContaining("no OpenClaw in this project yet") });
});
