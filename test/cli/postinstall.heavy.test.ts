import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { findNpmCli } from "../../harness/npm.ts";
import { cli, newProject, projectWith, smallPackage, smallTarball, userEnvironment } from "./fixture.ts";
import { ensureBinaries } from "./package-managers.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const npm = findNpmCli();
const cache = execFileSync(process.execPath, [npm, "config", "get", "cache"], { encoding: "utf8" }).trim();

/** openclaw-integrity as it would be published, an OpenClaw it can patch, and one that it refuses. */
let packed = "";
let sound = "";
let modified = "";
beforeAll(async () => {
  const folder = newFolder();
  execFileSync(process.execPath, [npm, "pack", "--ignore-scripts", "--pack-destination", folder], {
    cwd: repository,
    stdio: "pipe",
  });
  packed = join(folder, readdirSync(folder)[0] ?? "");
  sound = await smallTarball();
  modified = await smallTarball((root) => {
    for (const file of readdirSync(join(root, "dist"))) appendFileSync(join(root, "dist", file), "// mine\n");
  });
});

/** A project that depends on both, in which nothing is installed yet. */
function project(openclaw: string, scripts: Readonly<Record<string, string>> = {}): string {
  return newProject({
    scripts,
    dependencies: { openclaw: `file:${openclaw}`, "openclaw-integrity": `file:${packed}` },
  });
}

/** Runs npm as a user would; scripts of dependencies are allowed, which since npm 12 the user has to do. */
function runNpm(
  folder: string,
  command: string | readonly string[],
  variables: NodeJS.ProcessEnv = {},
): { readonly status: number | null; readonly text: string } {
  const env = { ...userEnvironment(newFolder()), npm_config_cache: cache, ...variables };
  const options = [
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--omit=optional",
    "--foreground-scripts",
    "--dangerously-allow-all-scripts",
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [npm, ...[command].flat(), ...options], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, text: stdout + stderr };
}

const statusIn = (folder: string): number | null => cli(["status"], folder, userEnvironment(newFolder())).status;

test("the script of the dependency patches the project's OpenClaw, and npm ci does so again", () => {
  const folder = project(sound);
  expect(runNpm(folder, "install")).toMatchObject({
    status: 0,
    text: expect.stringContaining("OpenClaw 2026.9.6 is patched"),
  });
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect(runNpm(folder, "ci").status).toBe(0);
  expect(statusIn(folder)).toBe(0);
});

test("an OpenClaw that it refuses is a loud warning of the dependency's script, and an error only when asked for", () => {
  const folder = project(modified);
  expect(runNpm(folder, "install")).toMatchObject({
    status: 0,
    text: expect.stringMatching(/!! openclaw-integrity: OpenClaw is NOT patched\n!! refused \(openclaw-modified\)/),
  });
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect(runNpm(folder, "ci", { OPENCLAW_INTEGRITY_POSTINSTALL: "strict" }).status).not.toBe(0);
});

test("the user's own postinstall patches when the dependency's script may not run, and fails the install when it is refused", () => {
  const scripts = { postinstall: "openclaw-integrity apply" };
  const off = { OPENCLAW_INTEGRITY_POSTINSTALL: "off" };
  const folder = project(sound, scripts);
  expect(runNpm(folder, "install", off)).toMatchObject({
    status: 0,
    text: expect.stringMatching(/postinstall is off[^]*patched \(patch set/),
  });
  expect(statusIn(folder)).toBe(0);
  expect(runNpm(project(modified, scripts), "install", off)).toMatchObject({
    status: 1,
    text: expect.stringContaining("refused (openclaw-modified)"),
  });
});

test("an OpenClaw that is not there is no error of the dependency's script", () => {
  const folder = newProject({ dependencies: { "openclaw-integrity": `file:${packed}` } });
  expect(runNpm(folder, "install")).toMatchObject({
    status: 0,
    text: expect.stringContaining("no OpenClaw in this project yet"),
  });
});

describe("nothing is patched but the project's own OpenClaw", () => {
  const unpatched = (root: string): void =>
    expect([root, existsSync(join(root, "dist", "openclaw-integrity.mjs"))]).toEqual([root, false]);
  const alone = (): string => newProject({ dependencies: { "openclaw-integrity": `file:${packed}` } });

  test("not the one of another project that INIT_CWD names, or that the package manager was called in", async () => {
    const other = await projectWith("2026.9.6");
    const folder = alone();
    const { status, text } = runNpm(other.folder, ["install", "--prefix", folder]);
    expect({ status, text }).toMatchObject({
      status: 0,
      text: expect.stringContaining("no OpenClaw in this project yet"),
    });
    // npm itself sets it; others leave it to whoever has called them.
    const script = join(folder, "node_modules", "openclaw-integrity", "scripts", "postinstall.mjs");
    const { stdout } = spawnSync(process.execPath, [script], {
      cwd: other.folder,
      env: { ...userEnvironment(newFolder()), INIT_CWD: other.folder },
      encoding: "utf8",
    });
    expect(stdout).toContain("no OpenClaw in this project yet");
    unpatched(other.root);
  });

  test("not one in a folder above the project", async () => {
    const above = await projectWith("2026.9.6");
    const folder = join(above.folder, "below", "project");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), readFileSync(join(alone(), "package.json")));
    expect(runNpm(folder, "install")).toMatchObject({
      status: 0,
      text: expect.stringContaining("no OpenClaw in this project yet"),
    });
    unpatched(above.root);
  });

  test("not the one of the machine, by npm install -g", () => {
    const prefix = newFolder();
    const global = (file: string, folder: string): ReturnType<typeof runNpm> =>
      runNpm(folder, ["install", "-g", "--prefix", prefix, file]);
    expect(global(sound, newFolder()).status).toBe(0);
    expect(global(packed, newFolder())).toMatchObject({
      status: 0,
      text: expect.stringContaining("belongs to no project here"),
    });
    unpatched(join(prefix, "lib", "node_modules", "openclaw"));
  });

  test.each([".local/share/pnpm/global/5", ".config/yarn/global", ".bun/install/global"])(
    "not the one of the machine in %s, which has a package.json",
    async (place) => {
      const folder = join(newFolder(), place);
      const root = join(folder, "node_modules", "openclaw");
      cpSync(await smallPackage("2026.9.6"), root, { recursive: true });
      writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { openclaw: "2026.9.6" } }));
      const own = join(folder, "node_modules", "openclaw-integrity");
      for (const file of ["package.json", "scripts/postinstall.mjs"]) cpSync(join(repository, file), join(own, file));
      symlinkSync(join(repository, "dist"), join(own, "dist"));
      const { status, stdout } = spawnSync(process.execPath, [join(own, "scripts", "postinstall.mjs")], {
        cwd: folder,
        env: userEnvironment(newFolder()),
        encoding: "utf8",
      });
      expect({ status, stdout }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("belongs to no project here"),
      });
      unpatched(root);
    },
  );

  test("not the one of the project that npx is called in", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const home = newFolder();
    const env = {
      ...userEnvironment(home),
      npm_config_cache: join(home, "cache"),
      npm_config_prefer_offline: "true",
      npm_config_dangerously_allow_all_scripts: "true",
      npm_config_omit: "optional",
    };
    const { status, stdout } = spawnSync(
      process.execPath,
      [npm, "exec", "--yes", "--foreground-scripts", `--package=${packed}`, "--", "openclaw-integrity", "status"],
      { cwd: folder, env, encoding: "utf8" },
    );
    expect({ status, stdout }).toMatchObject({ status: 3, stdout: expect.stringContaining(`in ${root}`) });
    unpatched(root);
  }, 600_000);

  test("not one that lies outside of the project by a link", async () => {
    const root = await smallPackage("2026.9.6");
    const folder = alone();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "openclaw"));
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        name: "user",
        version: "1.0.0",
        dependencies: { openclaw: `file:${root}`, "openclaw-integrity": `file:${packed}` },
      }),
    );
    expect(runNpm(folder, "install")).toMatchObject({
      status: 0,
      text: expect.stringMatching(new RegExp(`lies outside of it \\(${realpathSync(root)}\\)`)),
    });
    unpatched(root);
  });

  test("a checkout of this repository makes itself ready, and patches nothing else", async () => {
    const { folder, root } = await projectWith("2026.9.6");
    const checkout = newFolder();
    for (const name of ["src", "scripts/setup"]) mkdirSync(join(checkout, name), { recursive: true });
    copyFileSync(join(repository, "scripts", "postinstall.mjs"), join(checkout, "scripts", "postinstall.mjs"));
    writeFileSync(join(checkout, "scripts", "setup", "main.ts"), 'console.log("set up");\n');
    const { stdout } = spawnSync(process.execPath, [join(checkout, "scripts", "postinstall.mjs")], {
      cwd: folder,
      env: { ...userEnvironment(newFolder()), INIT_CWD: folder },
      encoding: "utf8",
    });
    expect(stdout).toBe("set up\n");
    unpatched(root);
  });
});

describe("the project's own OpenClaw is found", () => {
  test("in a workspace: hoisted beside this package, and where this package alone is the workspace's own", () => {
    const folder = newProject({ workspaces: ["a"], dependencies: { openclaw: `file:${sound}` } });
    mkdirSync(join(folder, "a"));
    writeFileSync(
      join(folder, "a", "package.json"),
      JSON.stringify({ name: "a", version: "1.0.0", dependencies: { "openclaw-integrity": `file:${packed}` } }),
    );
    for (const strategy of ["hoisted", "nested"]) {
      expect(runNpm(folder, ["install", `--install-strategy=${strategy}`])).toMatchObject({
        status: 0,
        text: expect.stringContaining("OpenClaw 2026.9.6 is patched"),
      });
      expect(existsSync(join(folder, "a", "node_modules", "openclaw-integrity"))).toBe(strategy === "nested");
      expect(statusIn(folder)).toBe(0);
      for (const path of ["node_modules", join("a", "node_modules"), "package-lock.json"])
        rmSync(join(folder, path), { recursive: true, force: true });
    }
  }, 600_000);

  test("by pnpm, whose packages are links, when the script may run", () => {
    const folder = newProject({ dependencies: { openclaw: `file:${sound}`, "openclaw-integrity": `file:${packed}` } });
    writeFileSync(join(folder, "pnpm-workspace.yaml"), "dangerouslyAllowAllBuilds: true\n");
    const env = { ...userEnvironment(newFolder(), [ensureBinaries("pnpm-10")]), INIT_CWD: "/nowhere" };
    execFileSync("pnpm", ["install", "--prefer-offline", "--no-optional", `--store-dir=${newFolder()}`], {
      cwd: folder,
      env,
      stdio: "pipe",
    });
    expect(statusIn(folder)).toBe(0);
  }, 600_000);
});
