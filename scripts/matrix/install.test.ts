import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { installRelease, isInstalled } from "./install.ts";

const RELEASE = "2026.4.2";
const PUBLISHED = "sha512-published";
// Writes what npm would, without a registry; what is tested is what is done around it.
const FAKE_NPM = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
appendFileSync(process.env.FAKE_NPM_LOG, process.argv[2] + " " + readFileSync("package.json", "utf8").replace(/\\s+/g, "") + "\\n");
mkdirSync("node_modules/openclaw", { recursive: true });
writeFileSync("node_modules/openclaw/package.json", "{}");
writeFileSync("package-lock.json", JSON.stringify({ packages: { "node_modules/openclaw": { integrity: "${PUBLISHED}" } } }));
`;

let repository = "";
const calls = (): string[] => readFileSync(join(repository, "npm.log"), "utf8").split("\n").slice(0, -1);
const writeNpm = (source: string): void => writeFileSync(join(repository, "npm", "npm-cli.js"), source);

beforeEach(() => {
  repository = newFolder();
  mkdirSync(join(repository, "npm"));
  writeFileSync(join(repository, "package.json"), '{ "type": "module" }');
  writeFileSync(join(repository, "npm.log"), "");
  writeNpm(FAKE_NPM);
  vi.stubEnv("npm_execpath", join(repository, "npm", "npm-cli.js"));
  vi.stubEnv("FAKE_NPM_LOG", join(repository, "npm.log"));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test("two at once install the exact release once, and a third time nothing is done", async () => {
  const options = { repository, integrity: PUBLISHED };
  const [first, second] = await Promise.all([installRelease(RELEASE, options), installRelease(RELEASE, options)]);
  expect(await installRelease(RELEASE, options)).toEqual(first);
  expect(second).toEqual(first);
  expect(existsSync(join(first.stock, "package.json")) && existsSync(join(first.patched, "package.json"))).toBe(true);
  expect(isInstalled(RELEASE, repository)).toBe(true);
  expect(calls()).toEqual([expect.stringContaining(`"dependencies":{"openclaw":"${RELEASE}"}`)]);
});

test("OpenClaw's own files are no hard links in either folder, which some releases refuse to read", async () => {
  const { stock, patched } = await installRelease(RELEASE, { repository });
  expect([stock, patched].map((folder) => statSync(join(folder, "package.json")).nlink)).toEqual([1, 1]);
});

test("a tarball other than the published one is refused, and not kept as installed", async () => {
  const installing = installRelease(RELEASE, { repository, integrity: "sha512-other" });
  await expect(installing).rejects.toThrow(/expected .*sha512-other; found sha512-published/);
  expect(existsSync(join(repository, ".releases", RELEASE, "stock"))).toBe(false);
  expect(isInstalled(RELEASE, repository)).toBe(false);
});

test("a failing npm gives its reason, and the half install is redone", async () => {
  writeNpm(
    `import { writeFileSync } from "node:fs"; writeFileSync("half", ""); console.error("npm error code ENOSPC"); process.exit(1);`,
  );
  await expect(installRelease(RELEASE, { repository })).rejects.toThrow(/npm error code ENOSPC/);
  expect(isInstalled(RELEASE, repository)).toBe(false);
  writeNpm(FAKE_NPM);
  const { stock } = await installRelease(RELEASE, { repository });
  expect(existsSync(join(stock, "package.json"))).toBe(true);
  expect(existsSync(join(stock, "..", "..", "half"))).toBe(false);
});
