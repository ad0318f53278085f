/**
 * `npm run point -- <id>`: begins a patch point: its file, its place in the list, a raised PATCH_SET.
 * `npm run point -- --record [release…]`: writes into releases/releases.json where each known release has which points.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { knownRelease, knownReleases } from "../../src/patching/base/releases.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { ensureTarball } from "../../harness/tarballs.ts";
import { facts, recordFacts } from "../matrix/facts.ts";
import { unpackScripts } from "../matrix/unpack.ts";
import { beginPoint } from "./begin.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: "boolean", default: false } },
});
const AFTERWARDS =
  "now: npm run generate patches upstream-md, then npx vitest run src/patching test/patching test/layout";

async function record(releases: readonly string[]): Promise<void> {
  for (const release of releases) {
    const known = knownRelease(release);
    if (!known)
      throw new Error(`expected a release of releases/releases.json; found ${release}. npm run port adds one`);
    const { path, integrity } = await ensureTarball(release, { say: console.error });
    const root = mkdtempSync(join(tmpdir(), "point-"));
    await unpackScripts(path, root);
    const found = facts(root, release, integrity);
    rmSync(root, { recursive: true });
    const ids = new Set([...Object.keys(known.points), ...Object.keys(found.points)]);
    const changed = [...ids].filter((id) => known.points[id] !== found.points[id]);
    const lines = changed.map((id) => `${id} ${known.points[id] ?? 0} to ${found.points[id] ?? 0}`);
    console.log(`${release}: ${lines.length === 0 ? "as recorded" : lines.join(", ")}`);
    // At once: what is interrupted goes on where it was.
    recordFacts([found]);
  }
}

/** The base releases first: tests run with these. */
function allReleases(): readonly string[] {
  return [...new Set([...BASE_RELEASES, ...knownReleases().map(({ release }) => release)])];
}

if (values.record) {
  await record(positionals.length > 0 ? positionals : allReleases());
  console.log(AFTERWARDS);
} else if (positionals.length === 1) {
  for (const line of beginPoint(positionals[0]!)) console.log(line);
} else {
  console.error(
    `expected npm run point -- <id>, or npm run point -- --record; found ${positionals.join(" ") || "neither"}`,
  );
  process.exitCode = 2;
}
