import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatch, parsePatch } from "diff";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { GUARD_FILE } from "./base/guard-file.ts";
import { sha256 } from "./base/hash.ts";
import { inventories } from "./write/inventory.ts";
import { patchFiles } from "./patch-file.ts";
import type { FilePlan, Plan } from "./plan.ts";
import { newFolder } from "../../harness/temporary.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

let root = "";
beforeEach(() => {
  root = newFolder();
  mkdirSync(join(root, "dist"));
});

const line = fc.constantFrom("", "a", "  b();", "}", "@@ -1,1 +1,1 @@", "--- a/x", "+++ b/x", "diff --git a/x b/x");
const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((one) => `${one}\n`).join(""));
const chunk = fc.record({
  original: text.map((body) => `first\n${body}`),
  patched: fc.option(text, { nil: undefined }),
});
const written = fc.record({ indent: fc.constantFrom<number | string>(2, "\t"), end: fc.constantFrom("\n", "") });

/** A release with these chunks, some of them patched, and both lists of its files. */
function planned(
  chunks: readonly { readonly original: string; readonly patched: string | undefined }[],
  guard: string,
  { indent, end }: { readonly indent: number | string; readonly end: string },
): Plan {
  const named = chunks.map((one, index) => ({ ...one, file: `dist/${index}.js` }));
  const entries = named.map(({ file, original }) => ({
    path: file,
    sha256: sha256(original),
    mode: 420,
    size: original.length,
  }));
  const put = (name: string, list: readonly unknown[]): void =>
    writeFileSync(join(root, "dist", name), `${JSON.stringify(list, null, indent)}${end}`);
  put(
    "postinstall-inventory.json",
    named.map(({ file }) => file),
  );
  put("postinstall-content-inventory.json", entries);
  const files = named.flatMap(({ file, original, patched }): FilePlan[] =>
    patched === undefined ? [] : [{ file, original, patched: `${original}${patched}`, state: "original", points: [] }],
  );
  const listed = [...files, { file: GUARD_FILE, original: undefined, patched: guard }];
  const lists = inventories(root, listed).map(({ file, original, withAdded, patched }) => ({
    file,
    original,
    withGuard: withAdded,
    patched,
    state: "original" as const,
    points: [],
  }));
  return {
    root,
    release: "2026.1.1",
    known: true,
    files,
    lists,
    leftOut: [],
    guard: { file: GUARD_FILE, text: guard, state: "missing" },
  };
}

/** The texts by file after a patch file; a hunk that does not fit exactly where it says is an error. */
function after(texts: ReadonlyMap<string, string>, patch: string): ReadonlyMap<string, string> {
  const changed = new Map(texts);
  for (const one of patch === "" ? [] : parsePatch(patch)) {
    const file = (one.newFileName ?? "").replace("b/node_modules/openclaw/", "");
    const result = applyPatch(changed.get(file) ?? "", one, { fuzzFactor: 0, autoConvertLineEndings: false });
    if (result === false) throw new Error(`does not fit ${file}:\n${patch}`);
    changed.set(file, result);
  }
  return changed;
}

test("guard and call sites one after the other give every patched byte, and no guard changes the call sites", () => {
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 5 }), text, text, written, (chunks, guard, other, form) => {
      const plan = planned(chunks, `${guard}// end\n`, form);
      const all = [...plan.files, ...plan.lists];
      const files = patchFiles(plan);
      const published = new Map(all.map(({ file, original }) => [file, original]));
      const result = after(after(published, files.guard.text), files.callSites.text);
      expect(result).toEqual(
        new Map([...all.map(({ file, patched }): [string, string] => [file, patched]), [GUARD_FILE, plan.guard.text]]),
      );
      expect(patchFiles(planned(chunks, `${other}// another\n`, form)).callSites).toEqual(files.callSites);
    }),
    { numRuns },
  );
});
