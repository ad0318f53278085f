import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { knownRelease } from "../../src/patching/base/releases.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { readRecord } from "../../src/patching/write/record.ts";
import { cli, userEnvironment } from "../cli/fixture.ts";
import { rename, hashTree } from "../patching/fixture.ts";

/** Replaces a file of a tree that shares its files with another one. */
function rewrite(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, "utf8");
  rmSync(file);
  writeFileSync(file, change(text));
}

test(
  "a whole fork with three changed chunks and its own version is patched, proven and given back by the command line",
  { timeout: 600_000 },
  async () => {
    const { stock } = await ensureRelease("2026.9.6");
    const folder = newFolder();
    const root = join(folder, "node_modules", "openclaw");
    shareTree(join(stock, ".."), join(folder, "node_modules"));
    for (const file of Object.keys(knownRelease("2026.9.6")!.files).slice(0, 3))
      rewrite(join(root, file), (text) => `${text}\n// changed by acme\n`);
    rewrite(join(root, "package.json"), (text) => text);
    rename(root, "2026.9.6-acme.1");
    const dist = hashTree(join(root, "dist"));
    const env = userEnvironment(newFolder());

    const { status, stdout, stderr } = cli(["apply", "--fork"], folder, env);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toMatch(/^OpenClaw 2026\.9\.6-acme\.1 differs from the published 2026\.9\.6 in files/);
    expect(stdout.match(/: changed \(sha256 /g)).toHaveLength(3);
    expect(stdout).toContain("proven: 6 of 6 sessions answered, nothing lost");
    expect(readRecord(env)).toMatchObject([{ fork: true, proof: "proven" }]);
    expect(cli(["verify", "--json"], folder, env)).toMatchObject({
      status: 0,
      data: { state: "patched", known: false, fork: { of: "2026.9.6" } },
    });
    expect(cli(["revert"], folder, env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("as it was again, byte for byte"),
    });
    expect(hashTree(join(root, "dist"))).toEqual(dist);
  },
);
