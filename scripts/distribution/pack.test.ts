import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { list } from "tar";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { packFolder } from "./pack.ts";

let work = "";
beforeEach(() => {
  work = newFolder();
});

const LONG = `${"a-long-name/".repeat(20)}file.js`;

/** The same files, written in the given order, with other times and other modes for those who do not own them. */
function writePackage(
  place: string,
  names: readonly string[],
  mode: { readonly plain: number; readonly executable: number },
  seconds: number,
): string {
  const folder = join(work, place, "package");
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), `content of ${name}`);
    chmodSync(join(folder, name), name.startsWith("bin/") ? mode.executable : mode.plain);
    utimesSync(join(folder, name), seconds, seconds);
  }
  return folder;
}

test("times, umask and the order on disk change no byte", async () => {
  const names = ["package.json", "bin/run.mjs", "B.md", "a.md", "ünï.md", LONG];
  const one = await packFolder(
    writePackage("one", names, { plain: 0o644, executable: 0o755 }, 1e9),
    join(work, "one.tgz"),
  );
  const two = await packFolder(
    writePackage("two", names.toReversed(), { plain: 0o600, executable: 0o700 }, 2e9),
    join(work, "two.tgz"),
  );
  expect(two).toEqual(one);
  const bytes = readFileSync(join(work, "one.tgz"));
  expect(one).toEqual({ size: bytes.length, sha256: sha256(bytes) });
  // The gzip header: no time.
  expect([...bytes.subarray(4, 8)]).toEqual([0, 0, 0, 0]);
});

test("it is a tarball of files only, with npm's folder, fixed owner and modes, and all their bytes", async () => {
  await packFolder(
    writePackage("one", ["package.json", "bin/run.mjs", LONG], { plain: 0o664, executable: 0o775 }, 1e9),
    join(work, "one.tgz"),
  );
  const entries: unknown[] = [];
  await list({
    file: join(work, "one.tgz"),
    strict: true,
    onReadEntry: ({ path, mode, uid, uname, type, mtime }) => {
      entries.push([path, mode, uid ?? 0, uname ?? "", type, mtime?.toISOString()]);
    },
  });
  const rest = [0, "", "File", "1985-10-26T08:15:00.000Z"];
  expect(entries).toEqual([
    [`package/${LONG}`, 0o644, ...rest],
    ["package/bin/run.mjs", 0o755, ...rest],
    ["package/package.json", 0o644, ...rest],
  ]);
  expect(gunzipSync(readFileSync(join(work, "one.tgz"))).includes("content of package.json")).toBe(true);
});

test("a link, which would lead out of the package, is refused", async () => {
  const folder = writePackage("one", ["package.json"], { plain: 0o644, executable: 0o755 }, 1e9);
  symlinkSync("/etc/passwd", join(folder, "link"));
  await expect(packFolder(folder, join(work, "one.tgz"))).rejects.toThrow(
    /expected only files and folders .* found link/,
  );
});
