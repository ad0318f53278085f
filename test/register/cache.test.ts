/** The cache becomes code: what others could have written is not read, and what is damaged is worked out again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { cacheFolder, hashKey, readCache, writeCache, type CacheKey } from "../../src/register/cache.ts";
import type { Served } from "../../src/register/served.ts";
import { newFolder } from "../../harness/temporary.ts";
import { runOnSmallDisk, smallDiskRefusal } from "../journal/small-disk.ts";

const isRoot = process.getuid?.() === 0;
let entry: CacheKey;
let folder: string;
let key: string;
let served: Served;

beforeEach(() => {
  const root = join(newFolder(), "openclaw");
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"name":"openclaw","version":"2026.9.6"}');
  entry = { root, hook: "a" };
  folder = cacheFolder(newFolder());
  key = hashKey(entry);
  const file = { file: "dist/a.mjs", disk: "1", patched: "2", lines: [[0, "x"]] as const };
  served = { root, release: "2026.9.6", known: true, patchSet: "5", files: [file], leftOut: [] };
});

const entryFile = (): string =>
  join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".json"))!,
  );

test("an entry is read again as it was written, readable by its owner only", () => {
  expect(readCache(folder, entry, key)).toEqual({});
  expect(writeCache(folder, entry, key, served)).toBeUndefined();
  expect(readCache(folder, entry, key)).toEqual({ served });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(entryFile()).mode & 0o777).toBe(0o600);
});

test("another engine or guard, another build of OpenClaw, another folder: another key", () => {
  const keys = [key, hashKey({ ...entry, hook: "b" })];
  writeFileSync(join(entry.root, "dist", "build-info.json"), "{}");
  keys.push(hashKey(entry));
  utimesSync(join(entry.root, "dist"), 1, 1);
  keys.push(hashKey(entry));
  writeFileSync(join(entry.root, "package.json"), '{"name":"openclaw","version":"2026.9.7"}');
  keys.push(hashKey(entry));
  renameSync(entry.root, `${entry.root}-2`);
  keys.push(hashKey({ ...entry, root: `${entry.root}-2` }));
  expect(new Set(keys).size).toBe(keys.length);
});

test("older entries of the same OpenClaw are removed, those of others stay", () => {
  const other = { ...entry, root: newFolder() };
  writeCache(folder, other, "f".repeat(64), served);
  writeCache(folder, entry, "e".repeat(64), served);
  writeCache(folder, entry, key, served);
  expect(readdirSync(folder)).toHaveLength(2);
  expect(readCache(folder, entry, key)).toEqual({ served });
});

describe("is no entry", () => {
  beforeEach(() => void writeCache(folder, entry, key, served));

  test("at any length of a truncated file", () => {
    const { size } = statSync(entryFile());
    for (let length = size - 2; length >= 0; length -= 7) {
      truncateSync(entryFile(), length);
      expect(readCache(folder, entry, key)).toEqual({});
    }
  });

  test("with a changed line", () => {
    writeFileSync(entryFile(), readFileSync(entryFile(), "utf8").replace('"x"', '"y"'));
    expect(readCache(folder, entry, key)).toEqual({});
  });

  test("of another key, or of another OpenClaw", () => {
    const other = "e".repeat(64);
    renameSync(entryFile(), entryFile().replace(key.slice(0, 32), other.slice(0, 32)));
    expect(readCache(folder, entry, other)).toEqual({});
  });

  test("that is a symbolic link", () => {
    const elsewhere = join(newFolder(), "entry.json");
    const file = entryFile();
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    expect(readCache(folder, entry, key)).toEqual({});
  });
});

describe.runIf(process.geteuid !== undefined)(
  "what others could have written is not read, and the user is told",
  () => {
    beforeEach(() => void writeCache(folder, entry, key, served));

    test.each([0o777, 0o770, 0o702])("a folder with mode %o", (mode) => {
      chmodSync(folder, mode);
      expect(readCache(folder, entry, key)).toEqual({ warning: expect.stringContaining("others can write to it") });
    });

    test("a file that others may write to", () => {
      chmodSync(entryFile(), 0o606);
      expect(readCache(folder, entry, key)).toEqual({ warning: expect.stringContaining("others can write to it") });
    });

    test.runIf(isRoot)("a folder and a file of another user", () => {
      const file = entryFile();
      chownSync(file, 65_534, 65_534);
      expect(readCache(folder, entry, key)).toEqual({ warning: expect.stringContaining("belongs to user 65534") });
      chownSync(file, 0, 0);
      chownSync(folder, 65_534, 65_534);
      expect(readCache(folder, entry, key)).toEqual({ warning: expect.stringContaining("belongs to user 65534") });
    });

    test("a folder that is a symbolic link", () => {
      renameSync(folder, `${folder}-2`);
      symlinkSync(`${folder}-2`, folder);
      expect(readCache(folder, entry, key)).toEqual({ warning: expect.stringContaining("symbolic link") });
    });
  },
);

test("processes that write at once leave one whole entry", async () => {
  const script = fileURLToPath(new URL("write-cache.ts", import.meta.url));
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--no-warnings", script, folder, entry.root, key], { stdio: "inherit" }),
  );
  const ends = await Promise.all(children.map((child) => once(child, "exit")));
  expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
  expect(readCache(folder, entry, key).served?.files).toHaveLength(200);
  expect(readdirSync(folder)).toHaveLength(1);
});

test.skipIf(smallDiskRefusal() !== undefined)("a full disk is said, and nothing half-written is read", () => {
  const script = fileURLToPath(new URL("write-cache-on-small-disk.ts", import.meta.url));
  const { warning, after } = runOnSmallDisk(16, script, entry.root, key) as { warning: string; after: unknown };
  expect(warning).toMatch(/could not be stored in .* \(ENOSPC.*each start takes about a second longer/);
  expect(after).toEqual({});
});

test("a folder that cannot be made is said", () => {
  const blocked = join(newFolder(), "file");
  writeFileSync(blocked, "");
  expect(writeCache(join(blocked, "register"), entry, key, served)).toMatch(/could not be stored/);
  expect(existsSync(join(blocked, "register"))).toBe(false);
});
