/** `npm run port -- --watch` in a repository of its own, against a registry of its own. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { create } from "tar";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureTarball } from "../../../harness/tarballs.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { readTree } from "../../../harness/tree.ts";

const SOURCE = fileURLToPath(new URL("../../../", import.meta.url));
const NEW = "2026.10.1";

/** What the registry has. */
interface Published {
  readonly tarball: Buffer;
  readonly integrity: string;
}

let registry: Server;
let url = "";
let published: Record<string, Published> = {};
/** Called when a tarball is asked for; the answer waits for it. */
let onTarball: () => Promise<void> = async () => {};
let packed: Buffer;

beforeAll(async () => {
  registry = createServer((request, response) => {
    if (request.url?.endsWith(".tgz") === true) {
      void onTarball().then(() => response.end(published[NEW]?.tarball));
      return;
    }
    const versions = Object.entries(published).map(([version, { integrity }]) => [
      version,
      { name: "openclaw", version, dist: { integrity, tarball: `${url}openclaw/-/openclaw-${version}.tgz` } },
    ]);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name: "openclaw",
        "dist-tags": { latest: versions.at(-1)?.[0] },
        versions: Object.fromEntries(versions),
      }),
    );
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  // A package of that name in which no patch point can be found.
  const folder = join(newFolder(), "package");
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "openclaw", version: NEW, engines: { node: "*" } }),
  );
  writeFileSync(join(folder, "dist", "index.js"), "export {};\n");
  const file = join(dirname(folder), "it.tgz");
  await create({ gzip: true, file, cwd: dirname(folder) }, ["package"]);
  packed = readFileSync(file);
  await ensureTarball("2026.9.6");
});
afterAll(() => registry.close());

function computeIntegrity(bytes: Buffer): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

/** A repository with one commit: the files of this one as they are now. */
function repository(): string {
  const folder = newFolder();
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: SOURCE });
  for (const file of files.toString().split("\0").filter(Boolean)) {
    if (!existsSync(join(SOURCE, file))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(SOURCE, file), join(folder, file));
  }
  symlinkSync(join(SOURCE, "node_modules"), join(folder, "node_modules"));
  cpSync(join(SOURCE, "dist"), join(folder, "dist"), { recursive: true });
  mkdirSync(join(folder, ".cache", "tarballs"), { recursive: true });
  const tarball = join(".cache", "tarballs", "openclaw-2026.9.6.tgz");
  linkSync(join(SOURCE, tarball), join(folder, tarball));
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.com");
  writeFileSync(join(folder, ".git", "info", "exclude"), "/node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All");
  return folder;
}

function options(folder: string): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const npm = {
    npm_config_registry: url,
    npm_config_cache: join(folder, ".cache", "npm"),
    npm_config_fetch_retries: "0",
  };
  return { cwd: folder, env: { ...process.env, ...npm } };
}

function watch(folder: string): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["scripts/port/main.ts", "--watch"], options(folder));
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
    child.on("close", (code) => resolve({ code, text }));
  });
}

/** Branches and their commits, and what is not committed. */
function readState(folder: string): string {
  const git = (...args: readonly string[]): string => spawnSync("git", args, { cwd: folder, encoding: "utf8" }).stdout;
  return git("for-each-ref") + git("status", "--porcelain") + git("worktree", "list");
}

test("a version whose tarball is not the published one, a kill, and one that does not fit", async () => {
  const folder = repository();
  const before = readState(folder);
  const files = readTree(join(folder, "releases"));

  published = { "2026.9.6": { tarball: packed, integrity: "sha512-AA==" } };
  expect(await watch(folder)).toMatchObject({
    code: 0,
    text: expect.stringContaining("no other stable release is new"),
  });

  published = { [NEW]: { tarball: packed, integrity: computeIntegrity(Buffer.from("something else")) } };
  const forged = await watch(folder);
  expect(forged.text).toContain(`${NEW}: refused`);
  expect(forged.code).toBe(1);
  expect(readState(folder)).toBe(before);

  published = { [NEW]: { tarball: packed, integrity: computeIntegrity(packed) } };
  const child = spawn(process.execPath, ["scripts/port/main.ts", "--watch"], { ...options(folder), stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((resolve) => {
    onTarball = () => {
      resolve();
      return new Promise((go) => setTimeout(go, 100));
    };
  });
  child.kill("SIGKILL");
  await ended;
  onTarball = async () => {};
  expect(existsSync(join(folder, ".cache", "port", "clone"))).toBe(true);
  expect(readState(folder)).toBe(before);

  const misfit = await watch(folder);
  expect(misfit.text).toContain(`${NEW}: needs a hand`);
  expect(misfit.code).toBe(4);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  expect(git("diff", "--name-only", "main", `port/${NEW}`)).toBe(`results/port/${NEW}.md`);
  expect(git("show", `port/${NEW}:results/port/${NEW}.md`)).toContain("**Needs a hand.** Nothing is recorded");
  expect(git("status", "--porcelain")).toBe("");
  expect(existsSync(join(folder, ".cache", "port", "clone"))).toBe(false);
  expect(readTree(join(folder, "releases"))).toEqual(files);

  expect(await watch(folder)).toMatchObject({ code: 0, text: expect.stringContaining("waits for its review") });
  writeFileSync(join(folder, "README.md"), "other\n");
  expect(await watch(folder)).toMatchObject({ code: 1, text: expect.stringContaining("without uncommitted changes") });
});
