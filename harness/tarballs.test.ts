/** Against a real registry on loopback, asked by the real npm. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create } from "tar";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newFolder } from "./temporary.ts";
import { ensureTarball, extractTarball, computeIntegrity } from "./tarballs.ts";

const RELEASE = "1999.1.1";
let work = "";
let repository = "";
let registry: Server;
let tarball: Buffer;
let integrity = "";
const asked: string[] = [];

beforeEach(async () => {
  work = newFolder();
  repository = join(work, "repository");
  for (const folder of ["package", "repository/releases"]) mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(repository, "package.json"), "{}");
  writeFileSync(join(work, "package", "package.json"), JSON.stringify({ name: "openclaw", version: RELEASE }));
  tarball = await packed(["package"]);
  integrity = integrityOfBytes(tarball);
  asked.length = 0;
  registry = createServer(({ url = "" }, response) => {
    asked.push(url);
    if (url.endsWith(".tgz")) response.end(tarball);
    else if (url === "/openclaw")
      response.setHeader("content-type", "application/json").end(JSON.stringify(packument()));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("npm_config_registry", registryUrl());
  vi.stubEnv("npm_config_cache", join(work, "cache"));
  vi.stubEnv("npm_config_fetch_retries", "0");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => registry.close(resolve));
});

const registryUrl = (): string => `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
const integrityOfBytes = (bytes: Buffer): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
const downloads = (): number => asked.filter((url) => url.endsWith(".tgz")).length;
const folder = (): string => join(repository, ".cache", "tarballs");

async function packed(files: string[]): Promise<Buffer> {
  await create({ cwd: work, file: join(work, "made.tgz"), gzip: true, portable: true }, files);
  return readFileSync(join(work, "made.tgz"));
}

function packument(): unknown {
  const dist = { tarball: `${registryUrl()}openclaw-${RELEASE}.tgz`, integrity: integrityOfBytes(tarball) };
  return {
    name: "openclaw",
    "dist-tags": { latest: RELEASE },
    versions: { [RELEASE]: { name: "openclaw", version: RELEASE, dist } },
  };
}

function pin(value: string): void {
  writeFileSync(
    join(repository, "releases", "releases.json"),
    JSON.stringify({ releases: { [RELEASE]: { integrity: value } } }),
  );
}

test("a tarball is downloaded once, and both times has the bytes the repository names", async () => {
  pin(integrity);
  const first = await ensureTarball(RELEASE, { repository });
  expect(first).toEqual({ path: join(folder(), `openclaw-${RELEASE}.tgz`), integrity, source: "repository" });
  expect(await computeIntegrity(first.path)).toBe(integrity);
  expect(await ensureTarball(RELEASE, { repository })).toEqual(first);
  expect(downloads()).toBe(1);
  expect(readdirSync(folder())).toEqual([`openclaw-${RELEASE}.tgz`]);
});

test("half a download of an earlier run is not used", async () => {
  pin(integrity);
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), `openclaw-${RELEASE}.tgz`), tarball.subarray(0, 100));
  const { path } = await ensureTarball(RELEASE, { repository });
  expect(await computeIntegrity(path)).toBe(integrity);
});

test("a registry that hands out something else than what was published is refused, and nothing is kept", async () => {
  pin(integrity);
  writeFileSync(join(work, "package", "more.js"), "");
  tarball = await packed(["package"]);
  await expect(ensureTarball(RELEASE, { repository })).rejects.toThrow(
    /to be the published tarball \(sha512-.*found other bytes/,
  );
  expect(readdirSync(folder())).toEqual([]);
});

test("for a release the repository does not know, the registry's word is taken and said to be", async () => {
  const lines: string[] = [];
  expect(await ensureTarball(RELEASE, { repository, say: (line) => lines.push(line) })).toMatchObject({
    integrity,
    source: "registry",
  });
  expect(lines[0]).toMatch(/does not know OpenClaw 1999\.1\.1: its integrity is taken from the registry/);
});

test("a release that does not exist is told apart from a network that is down", async () => {
  await expect(ensureTarball("1999.9.9", { repository })).rejects.toThrow(
    /expected the registry to know openclaw@1999\.9\.9.*found no such release\./,
  );
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:1/");
  vi.stubEnv("npm_config_cache", join(work, "empty-cache"));
  await expect(ensureTarball(RELEASE, { repository })).rejects.toThrow(/ECONNREFUSED/);
});

test("unpacking a damaged tarball leaves no folder behind that looks like a package", async () => {
  const damaged = join(work, "damaged.tgz");
  writeFileSync(damaged, tarball.subarray(0, tarball.length - 30));
  await expect(extractTarball(damaged, join(work, "out"))).rejects.toThrow(/expected .*damaged\.tgz to unpack/);
  expect(existsSync(join(work, "out"))).toBe(false);
  await extractTarball(join(work, "made.tgz"), join(work, "out"));
  expect(readdirSync(join(work, "out"))).toEqual(["package.json"]);
});
