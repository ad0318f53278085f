import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { newFolder } from "../../temporary.ts";
import { hasExport, importChunk, importOptional } from "./chunk.ts";

// As the bundler writes them: one chunk under letters for the other chunks, one under names for lazy imports.
const CHUNKS = {
  "io-aaaa.mjs": "const run = () => 1;\nconst stop = () => 2;\nexport { run as t, stop as n };\n",
  "io-bbbb.mjs": "const run = () => 3;\nconst other = () => 4;\nexport { other, run };\n",
  "other-cccc.mjs": "const run = () => 5;\nconst stop = () => 6;\nexport { run, stop };\n",
};

interface Io {
  run(): number;
  stop(): number;
}

let dist = "";
beforeAll(() => {
  dist = newFolder();
  for (const [name, text] of Object.entries(CHUNKS)) writeFileSync(join(dist, name), text);
});

test("takes the chunk that exports the name as it is, not one that gives it a letter", async () => {
  expect((await importChunk<Io>(dist, /^io-.*\.m?js$/, ["run"])).run()).toBe(3);
  await expect(importChunk<Io>(dist, /^io-.*\.m?js$/, ["run", "stop"])).rejects.toThrow(
    /No chunk like .* exports run, stop/,
  );
});

test("finds by its own name what is exported under a letter, and does without what a release lacks", async () => {
  const io = await importOptional<Io>(dist, /^io-.*\.m?js$/, ["run", "stop"]);
  expect([io?.run(), io?.stop()]).toEqual([1, 2]);
  expect(await importOptional<{ t(): void }>(dist, /^io-.*\.m?js$/, ["t"])).toBeUndefined();
  expect(hasExport(dist, /^io-/, "stop")).toBe(true);
  expect(hasExport(dist, /^io-/, "n")).toBe(false);
});
