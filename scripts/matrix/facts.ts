/** What releases/releases.json says of a release, taken from its files, and the file itself. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../src/patching/base/hash.ts";
import type { KnownRelease } from "../../src/patching/base/releases.ts";
import { survey } from "../../src/patching/locate/survey.ts";
import { compareReleases } from "./order.ts";

const FILE = fileURLToPath(new URL("../../releases/releases.json", import.meta.url));

/** The facts of the unpatched release in `root`, found as in a release that nobody knows. */
export function facts(root: string, release: string, integrity: string): KnownRelease {
  const { chunks, verdicts } = survey({ root, release, known: undefined });
  const placed = verdicts.filter(({ outcome }) => outcome === "fits");
  const touched = new Set(placed.flatMap(({ findings }) => findings.map(({ file }) => file)));
  const files = chunks
    .filter(({ file }) => touched.has(file))
    .map(({ file, original }) => [file, sha256(original)] as const);
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly engines?: { readonly node?: string };
  };
  return {
    release,
    integrity,
    node: engines?.node ?? "*",
    files: Object.fromEntries(files),
    points: Object.fromEntries(placed.map(({ point, found }) => [point.id, found])),
  };
}

/** Writes releases into the record, oldest first; the others in it stay. Returns whether anything in it changed. */
export function recordFacts(found: readonly KnownRelease[]): boolean {
  const before = readFileSync(FILE, "utf8");
  const { releases } = JSON.parse(before) as { readonly releases: Record<string, unknown> };
  for (const { release, ...rest } of found) releases[release] = rest;
  const sorted = Object.fromEntries(
    Object.entries(releases).toSorted(([left], [right]) => compareReleases(left, right)),
  );
  const after = `${JSON.stringify({ releases: sorted }, null, 1)}\n`;
  if (after !== before) writeFileSync(FILE, after);
  return after !== before;
}
