import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { compiledIn, copySources, gitIn, sourceFolder } from "./tree.ts";

afterEach(() => vi.unstubAllEnvs());

const read = (root: string): string => readFileSync(join(root, "package.json"), "utf8");

/** A repository with two commits, the first of which has the tag v2026.2.3. */
function repository(): string {
  const root = newFolder();
  gitIn(root, "init", "--quiet");
  for (const text of ["first", "second"]) {
    writeFileSync(join(root, "package.json"), text);
    gitIn(root, "add", "--all");
    gitIn(root, "commit", "--quiet", "-m", text);
    if (text === "first") gitIn(root, "tag", "v2026.2.3");
  }
  return root;
}

function makeCopy(source: string): string {
  const root = join(newFolder(), "tree");
  mkdirSync(root);
  copySources(source, root);
  return root;
}

test("a tag is cloned from OpenClaw's repository, with or without its v", () => {
  vi.stubEnv("GIT_CONFIG_VALUE_0", "https://github.com/openclaw/openclaw.git");
  vi.stubEnv("GIT_CONFIG_KEY_0", `url.file://${repository()}.insteadOf`);
  vi.stubEnv("GIT_CONFIG_COUNT", "1");
  for (const tag of ["v2026.2.3", "2026.2.3"]) {
    const root = makeCopy(tag);
    expect(read(root)).toBe("first");
    expect(gitIn(root, "rev-list", "--count", "HEAD")).toBe("1");
  }
  expect(() => makeCopy("v2026.2.4")).toThrow(/copying the sources: .*v2026\.2\.4/);
});

test("of a checkout the last commit is copied, of another folder what is there, and of an archive its contents", () => {
  const source = repository();
  writeFileSync(join(source, "package.json"), "not committed");
  expect(read(makeCopy(source))).toBe("second");
  const folder = newFolder();
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), "plain");
  expect(read(makeCopy(folder))).toBe("plain");
  expect(existsSync(join(makeCopy(folder), "dist"))).toBe(false);
  const archive = join(newFolder(), "a.tgz");
  execFileSync("tar", ["czf", archive, "-C", folder, "."]);
  expect(read(makeCopy(archive))).toBe("plain");
  writeFileSync(archive, "half of it");
  expect(() => makeCopy(archive)).toThrow(/copying the sources: /);
});

test("a package that was compiled because its binaries could not be downloaded is named", () => {
  const root = newFolder();
  for (const [name, binary] of [
    ["@discordjs/opus", {}],
    ["always-compiled", undefined],
  ] as const) {
    const folder = join(root, "node_modules", name);
    mkdirSync(join(folder, "build-tmp-napi-v3"), { recursive: true });
    writeFileSync(join(folder, "build-tmp-napi-v3", "config.gypi"), "");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, binary }));
  }
  expect(compiledIn(root)).toEqual(["`@discordjs/opus` is compiled instead of downloaded"]);
});

test("the copies of two sources have folders of their own", () => {
  expect(sourceFolder("/a/openclaw.tgz", "/cache")).toBe(join("/cache", "openclaw.tgz"));
});
