import { describe, expect, test } from "vitest";
import { insertAll, prove } from "../write/edit.ts";
import { sha256 } from "../base/hash.ts";
import { locate, type Finding } from "../locate/locate.ts";

/** What is found of this point in a chunk. */
function find(text: string, file = "dist/chunk.js"): readonly Finding[] {
  return locate({ file, text }, "2026.2.3").filter(({ point }) => point.id === "session-reset");
}

/** The patched chunk, proven to lead back to the original. */
function patch(text: string, file?: string): string {
  const insertions = find(text, file).flatMap(({ insertion, mismatch }) => {
    if (mismatch !== undefined) throw new Error(mismatch);
    return insertion ?? [];
  });
  const patched = insertAll(text, insertions, { patchSet: "1", release: "2026.2.3", original: sha256(text) });
  prove(text, patched, insertions.length);
  return patched;
}

/** The loop of the role-ordering reset, in a function that begins with `open`. */
const loop = (open: string, end = "} catch {}"): string =>
  [
    'import fs from "node:fs";',
    open,
    "\tconst transcriptCandidates = /* @__PURE__ */ new Set();",
    "\tfor (const candidate of transcriptCandidates) try {",
    "\t\tfs.unlinkSync(candidate);",
    `\t${end}`,
    "}",
    "",
  ].join("\n");

const CALL =
  /^\t*\(await import\("(.*)"\)\.catch\(console\.error\)\)\?\.archiveBeforeReset\((.*)\); \/\* openclaw-integrity:session-reset \*\/$/;

describe("the deletion of a transcript", () => {
  test("has the archive right before it, in the same try", () => {
    const lines = patch(loop("async function reset() {"), "dist/plugin-sdk/index.js").split("\n");
    const at = lines.findIndex((line) => line.includes("unlinkSync"));
    expect(CALL.exec(lines[at - 1] ?? "")?.slice(1)).toEqual(["../openclaw-integrity.mjs", "candidate"]);
    expect(lines[at - 2]).toMatch(/try \{$/);
  });

  test("is found under every name a bundler gives to fs, and as the early compiler wrote it", () => {
    const early = [
      "export const run = async (corruptedSessionId) => {",
      "    const transcriptPath = resolveSessionTranscriptPath(corruptedSessionId);",
      "    try {",
      "        syncFs.unlinkSync(transcriptPath);",
      "    }",
      "    catch {",
      "        // Ignore if file doesn't exist",
      "    }",
      "};",
      "",
    ].join("\n");
    expect(patch(early)).toContain("?.archiveBeforeReset(transcriptPath);");
    expect(patch(loop("async function reset() {").replaceAll("fs.", "fs$1."))).toContain(
      "?.archiveBeforeReset(candidate);",
    );
  });

  test("in a function that cannot wait is left alone: the releases that have it so never call it", () => {
    const text = loop("function cleanup() {");
    expect(find(text)).toEqual([]);
  });

  test.each([
    ["stands in no try", loop("async function reset() {", "}").replace("try {", "{")],
    [
      "stands in a finally",
      loop("async function reset() {", "}").replace("try {", "try { close(candidate); } catch {} finally {"),
    ],
    [
      "is followed by something that happens after an error too",
      loop("async function reset() {", "} catch (error) { fs.rmSync(candidate); }"),
    ],
  ])("that %s cannot be kept from happening, and is refused", (_, text) => {
    expect(find(text)).toMatchObject([{ mismatch: expect.stringContaining("deleted in another way"), line: 5 }]);
  });

  test("of another file is left alone", () => {
    const lockFiles = loop("async function clean() {").replaceAll("transcriptCandidates", "lockFiles");
    const another = [
      "async function clean() {",
      "\tconst transcriptPath = join(folder, name);",
      "\ttry {",
      "\t\tfs.unlinkSync(transcriptPath);",
      "\t} catch {}",
      "}",
      "",
    ];
    expect([...find(lockFiles), ...find(another.join("\n"))]).toEqual([]);
  });
});
