import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { withTree } from "../sources/tree.ts";
import { testFiles } from "./files.ts";
import { runBoth } from "./run.ts";

/** A folder with archives of OpenClaw's sources: nothing of them is in this repository, so without one this is skipped. */
const FOLDER = process.env["OPENCLAW_SOURCES"];
const ARCHIVES =
  FOLDER !== undefined && existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => /\.(?:tgz|txz)$/.test(name)) : [];
const CACHE = fileURLToPath(new URL("../../.cache/upstream-tests", import.meta.url));
const SAMPLE = ["src/agents/session-transcript-repair*", "src/agents/session-file-repair*", "src/agents/compaction*"];

describe.skipIf(ARCHIVES.length === 0)("OpenClaw's own tests of transcripts (needs OPENCLAW_SOURCES)", () => {
  test.each(ARCHIVES)("%s: each has the same result with the patch", { timeout: 3_600_000 }, async (name) => {
    const source = join(FOLDER!, name);
    const run = await withTree(
      source,
      CACHE,
      () => undefined,
      async (tree) => {
        const files = testFiles(tree.root, SAMPLE);
        return await runBoth(tree, { files, folder: newFolder(), workers: 1, say: () => undefined });
      },
    );
    expect(run.differences).toEqual([]);
    expect(run.failed).toEqual([]);
    expect(run.files).toBeGreaterThanOrEqual(2);
    expect(run.passed).toBeGreaterThan(10);
  });
});
