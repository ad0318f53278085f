import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "../temporary.ts";
import { ensureRelease } from "./ensure-release.ts";
import { releaseFacts } from "../../src/patching/base/releases.ts";

const RELEASE = "2026.9.6";
const FAKE_NPM = `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
appendFileSync(process.env.FAKE_NPM_LOG, process.argv.slice(2).join(" ") + "\\n");
mkdirSync("node_modules/openclaw/dist", { recursive: true });
writeFileSync("node_modules/openclaw/package.json", "{}");
`;

let repository = "";
const calls = (): readonly string[] => readFileSync(join(repository, "npm.log"), "utf8").split("\n").slice(0, -1);

beforeEach(() => {
  repository = newFolder();
  const pins = join(repository, "releases", RELEASE);
  mkdirSync(pins, { recursive: true });
  writeFileSync(join(pins, "package.json"), "{}");
  writeFileSync(join(pins, "package-lock.json"), JSON.stringify({ integrity: releaseFacts(RELEASE)?.integrity }));
  mkdirSync(join(repository, "npm"));
  writeFileSync(join(repository, "package.json"), '{ "type": "module" }');
  writeFileSync(join(repository, "npm", "npm-cli.js"), FAKE_NPM);
  writeFileSync(join(repository, "npm.log"), "");
  vi.stubEnv("npm_execpath", join(repository, "npm", "npm-cli.js"));
  vi.stubEnv("FAKE_NPM_LOG", join(repository, "npm.log"));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test("two at once install once, and it is there for both", async () => {
  const [first, second] = await Promise.all([
    ensureRelease(RELEASE, { repository }),
    ensureRelease(RELEASE, { repository }),
  ]);
  expect(first).toEqual(second);
  expect(existsSync(join(first.stock, "package.json")) && existsSync(join(first.patched, "package.json"))).toBe(true);
  expect(calls()).toEqual(["ci --ignore-scripts --no-audit --no-fund --loglevel=error"]);
  await ensureRelease(RELEASE, { repository });
  expect(calls()).toHaveLength(1);
});

test("half an install is redone, and so is one of other pins", async () => {
  const home = join(repository, ".releases", RELEASE);
  mkdirSync(join(home, "stock", "node_modules", "half"), { recursive: true });
  await ensureRelease(RELEASE, { repository });
  expect(existsSync(join(home, "stock", "node_modules", "half"))).toBe(false);
  appendFileSync(join(repository, "releases", RELEASE, "package-lock.json"), "\n");
  await ensureRelease(RELEASE, { repository });
  expect(calls()).toHaveLength(2);
});

test("half a copy is made again without installing", async () => {
  const { patched } = await ensureRelease(RELEASE, { repository });
  rmSync(join(repository, ".releases", RELEASE, "patched", "installed"));
  rmSync(patched, { recursive: true });
  await ensureRelease(RELEASE, { repository });
  expect(existsSync(join(patched, "package.json"))).toBe(true);
  expect(calls()).toHaveLength(1);
});

test("pins that do not name the published tarball are refused", async () => {
  writeFileSync(join(repository, "releases", RELEASE, "package-lock.json"), "{}");
  await expect(ensureRelease(RELEASE, { repository })).rejects.toThrow(
    /expected releases\/2026\.9\.6\/package-lock\.json to pin openclaw@2026\.9\.6/,
  );
});

test("when npm fails, its words are in the error and the next call tries again", async () => {
  writeFileSync(join(repository, "npm", "npm-cli.js"), 'console.error("npm error network"); process.exit(1);');
  await expect(ensureRelease(RELEASE, { repository })).rejects.toThrow(/npm error network/);
  writeFileSync(join(repository, "npm", "npm-cli.js"), FAKE_NPM);
  await ensureRelease(RELEASE, { repository });
  expect(calls()).toHaveLength(1);
});
