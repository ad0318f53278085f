import { mkdirSync, writeFileSync, type statfsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { checkRoom, parseNext, specifier } from "./next.ts";

test("a version, a tag, a tarball and a folder are known, and what npm would take for something else is refused", () => {
  const folder = newFolder();
  const tarball = join(folder, "openclaw.tgz");
  writeFileSync(tarball, "");
  mkdirSync(join(folder, "openclaw"));
  expect(specifier(parseNext("2026.9.6"))).toBe("openclaw@2026.9.6");
  expect(specifier(parseNext("2026.3.23-2"))).toBe("openclaw@2026.3.23-2");
  expect(specifier(parseNext("latest"))).toBe("openclaw@latest");
  expect(specifier(parseNext(tarball))).toBe(tarball);
  expect(parseNext(join(folder, "openclaw"))).toEqual({ kind: "folder", name: join(folder, "openclaw") });
  for (const other of ["", "^2026.9.0", "--global", "git+https://x", "left-pad@1.0.0", "a; rm -rf /", "./missing.tgz"])
    expect(() => parseNext(other), other).toThrow("expected --rehearse with a version");
});

test("a disk without room for a second OpenClaw is refused before anything is downloaded", () => {
  const disk = (mb: number): typeof statfsSync => (() => ({ bavail: mb * 256, bsize: 4096 })) as never;
  expect(checkRoom("/state", 0, disk(2500))).toBe(2500);
  expect(() => checkRoom("/state", 0, disk(1500))).toThrow(
    "expected 2000 MB of free space for a second OpenClaw in /state; found 1500 MB",
  );
  expect(() => checkRoom("/state", 1 << 30, disk(2500))).toThrow("expected 3024 MB");
});
