import { execSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { hashTree } from "../patching/fixture.ts";
import { cli, newProject, smallTarball, tomorrow, userEnvironment } from "./fixture.ts";
import { ensureBinaries, type PackageManager } from "./package-managers.ts";

let tarball = "";
beforeAll(async () => {
  tarball = await smallTarball();
});

/** Installs the small OpenClaw with a real package manager into a new project, in a home of its own. */
function installed(
  command: (tarball: string) => string,
  manager?: PackageManager,
  files: Readonly<Record<string, string>> = {},
): { readonly folder: string; readonly env: NodeJS.ProcessEnv } {
  const env = userEnvironment(newFolder(), manager === undefined ? [] : [ensureBinaries(manager)]);
  const folder = newProject();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  execSync(command(tarball), { cwd: folder, env, stdio: "pipe" });
  return { folder, env };
}

const npm = (file: string): string => `npm install --no-audit ${file}`;
const pnpm = (file: string): string => `pnpm add --package-import-method hardlink ${file}`;
const yarn = (file: string): string => `yarn add openclaw@file:${file}`;
const lock = { "yarn.lock": "" };

describe("the OpenClaw of a project", () => {
  test.each<readonly [string, PackageManager | undefined, (tarball: string) => string, Record<string, string>]>([
    ["npm", undefined, npm, {}],
    ["npm, linked", undefined, (file) => `npm install --no-audit --install-strategy=linked ${file}`, {}],
    ["pnpm 10", "pnpm-10", pnpm, {}],
    ["pnpm 12", "pnpm-12", pnpm, {}],
    ["Yarn classic", "yarn-1", yarn, {}],
    ["Yarn, node-modules linker", "yarn-4", yarn, { ...lock, ".yarnrc.yml": "nodeLinker: node-modules\n" }],
    ["Yarn, pnpm linker", "yarn-4", yarn, { ...lock, ".yarnrc.yml": "nodeLinker: pnpm\n" }],
    ["Bun", "bun", (file) => `bun add ${file}`, {}],
  ])("is found, patched and taken back as laid out by %s", (_, manager, command, files) => {
    const { folder, env } = installed(command, manager, files);
    const root = realpathSync(join(folder, "node_modules", "openclaw"));
    const before = hashTree(root);
    mkdirSync(join(folder, "src", "deep"), { recursive: true });
    const stock = { root, ways: ["project"], state: "stock" };
    expect(cli(["status", "--json"], folder, env)).toMatchObject({ status: 3, data: { installations: [stock] } });
    const applied = { root, action: "applied", warnings: [] };
    expect(cli(["apply", "--json"], join(folder, "src", "deep"), env)).toMatchObject({ status: 0, data: applied });
    expect(cli(["verify", "--path", join(folder, "node_modules", "openclaw")], "/", env).status).toBe(0);
    expect(cli(["revert"], folder, env).status).toBe(0);
    expect(hashTree(root)).toEqual(before);
  });

  test("is refused inside Yarn's archive with what to do, and found once it is unplugged", () => {
    const { folder, env } = installed(yarn, "yarn-4", lock);
    const refused = cli(["apply"], folder, env);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/refused \(openclaw-in-archive\): .*\.zip.*yarn unplug openclaw/);
    execSync("yarn unplug openclaw", { cwd: folder, env, stdio: "pipe" });
    const { status, data } = cli(["apply", "--json"], folder, env);
    expect(status).toBe(0);
    expect(data["root"]).toContain(join(".yarn", "unplugged"));
    // Another install must not take it away.
    execSync("yarn install", { cwd: folder, env, stdio: "pipe" });
    expect(cli(["status"], folder, env).status).toBe(0);
  });

  test.each(["", "pnpEnableInlining: false\n"])(
    "is the one that Yarn's own resolution names, in each workspace, without running Yarn's manifest (%j)",
    async (setting) => {
      const env = {
        ...userEnvironment(newFolder(), [ensureBinaries("yarn-4")]),
        YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      };
      const folder = newProject({ workspaces: ["packages/*"], dependencies: { top: "workspace:*" } });
      const other = await smallTarball((root) => {
        const file = join(root, "package.json");
        writeFileSync(file, readFileSync(file, "utf8").replace('"openclaw"', '"other"'));
      });
      const own = { openclaw: `file:${tarball}` };
      const workspaces = { top: own, consumer: { top: "workspace:*" }, alias: { openclaw: `file:${other}` } };
      for (const [name, dependencies] of Object.entries(workspaces)) {
        mkdirSync(join(folder, "packages", name, "src"), { recursive: true });
        writeFileSync(join(folder, "packages", name, "package.json"), JSON.stringify({ name, dependencies }));
      }
      for (const [name, text] of Object.entries({ "yarn.lock": "", ".yarnrc.yml": setting }))
        writeFileSync(join(folder, name), text);
      execSync("yarn install && yarn unplug --all openclaw", { cwd: folder, env, stdio: "pipe" });
      const asked = `const api = require("./.pnp.cjs"); let place = null;
        try { place = api.resolveToUnqualified("openclaw", process.argv[1] + "/"); } catch {}
        console.log(place === null ? "" : api.resolveVirtual(place) ?? place);`;
      const places = ["", "packages", ...Object.keys(workspaces).map((name) => `packages/${name}/src`)];
      const [found, yarns] = [{} as Record<string, string>, {} as Record<string, string>];
      for (const place of places) {
        const from = join(folder, place);
        const { status, data } = cli(["status", "--json"], from, env);
        const [first] = (data["installations"] ?? []) as readonly { readonly root: string }[];
        found[place] = status === 3 ? (first?.root ?? "") : "";
        const { stdout } = spawnSync(process.execPath, ["-e", asked, from], { cwd: folder, encoding: "utf8" });
        yarns[place] = stdout.trim().replace(/\/$/, "");
      }
      // Another package under the name is one, and no OpenClaw.
      expect(yarns["packages/alias/src"]).toContain("openclaw");
      yarns["packages/alias/src"] = "";
      expect(found).toEqual(yarns);
      expect(found["packages/top/src"]).toContain(join(".yarn", "unplugged"));
    },
  );

  test("is found from the top of a pnpm workspace that uses it further down, and none is guessed at when there are two", async () => {
    const env = userEnvironment(newFolder(), [ensureBinaries("pnpm-10")]);
    const folder = newProject();
    writeFileSync(join(folder, "pnpm-workspace.yaml"), "packages: [one, two]\n");
    const addWorkspace = (name: string, file: string): void => {
      mkdirSync(join(folder, name));
      writeFileSync(
        join(folder, name, "package.json"),
        JSON.stringify({ name, dependencies: { openclaw: `file:${file}` } }),
      );
      execSync("pnpm install --no-frozen-lockfile", { cwd: folder, env, stdio: "pipe" });
    };
    addWorkspace("one", tarball);
    const root = realpathSync(join(folder, "one", "node_modules", "openclaw"));
    expect(cli(["apply", "--json"], folder, env)).toMatchObject({ status: 0, data: { root } });
    addWorkspace("two", await smallTarball(tomorrow));
    const { status, stderr } = cli(["apply"], folder, env);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /refused \(openclaw-ambiguous\): expected one OpenClaw; found (?=.*2026\.9\.6 in )(?=.*2026\.9\.7 in ).*--path/,
    );
    expect(cli(["status", "--json"], folder, env)).toMatchObject({ status: 3, data: { installations: [{}, {}] } });
    expect(cli(["apply", "--no-prove"], join(folder, "two"), env).status).toBe(0);
  });
});

test.each<PackageManager>(["pnpm-10", "pnpm-12"])("the content store of %s keeps the published bytes", (manager) => {
  const env = userEnvironment(newFolder(), [ensureBinaries(manager)]);
  const stores = newFolder();
  const install = `pnpm add --package-import-method hardlink --store-dir ${stores} ${tarball}`;
  const [first, second] = [newProject(), newProject()];
  for (const folder of [first, second]) execSync(install, { cwd: folder, env, stdio: "pipe" });
  const neighbour = realpathSync(join(second, "node_modules", "openclaw"));
  const [store, other] = [hashTree(stores), hashTree(neighbour)];
  expect(cli(["apply"], first, env).status).toBe(0);
  const contents = Object.entries(hashTree(stores)).filter(([path]) => /[\\/]files[\\/]/.test(path));
  expect(contents.length).toBeGreaterThan(4);
  for (const [path, hash] of contents) expect(hash).toBe(store[path]);
  expect(hashTree(neighbour)).toEqual(other);
  execSync("pnpm store status", { cwd: second, env: { ...env, npm_config_store_dir: stores }, stdio: "pipe" });
});
