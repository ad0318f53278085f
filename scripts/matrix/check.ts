/** One release through the engine: found, applied, verified, parsed, its gates run, taken back, every byte compared. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { apply, revert, verify } from "../../src/patching/apply.ts";
import { parseModule } from "../../src/patching/source/ast.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { explain } from "../../src/patching/explain.ts";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import type { KnownRelease } from "../../src/patching/base/releases.ts";
import { ensureTarball } from "../../harness/tarballs.ts";
import { type FileFacts, readTree } from "../../harness/tree.ts";
import { facts } from "./facts.ts";
import { runGates } from "./gates.ts";
import { unpackScripts } from "./unpack.ts";

/** What became of one patch point. */
export interface PointCheck {
  readonly copies: number;
  readonly outcome: "fits" | "not-needed" | "left-out" | "refused";
  readonly reason?: string;
}

/** What became of a release. */
export interface ReleaseCheck {
  readonly release: string;
  readonly outcome: "applied" | "refused";
  /** Why it was refused, or what did not hold after it was applied. */
  readonly faults: readonly string[];
  readonly points: Readonly<Record<string, PointCheck>>;
  /** What was found, in the form of releases/releases.json. */
  readonly facts: KnownRelease;
  readonly gateRuns: number;
  /** SHA-256 of each chunk after patching, to see when an engine changes what it writes. */
  readonly patched: Readonly<Record<string, string>>;
}

/** Downloads a release if need be and takes it through the engine in `folder`, which is removed afterwards. */
export async function checkRelease(
  release: string,
  folder: string,
  say: (line: string) => void,
): Promise<ReleaseCheck> {
  const { path, integrity } = await ensureTarball(release, { say });
  const root = join(folder, release);
  rmSync(root, { recursive: true, force: true });
  try {
    await unpackScripts(path, root);
    return await checkUnpacked(release, root, integrity);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function checkUnpacked(release: string, root: string, integrity: string): Promise<ReleaseCheck> {
  const explanation = explain(root);
  const points = Object.fromEntries(
    explanation.points.map(({ id, found, outcome, reason }) => [
      id,
      reason === undefined ? { copies: found, outcome } : { copies: found, outcome, reason },
    ]),
  );
  const base = { release, points, facts: facts(root, release, integrity) };
  const before = readTree(root);
  try {
    apply(root);
    const { files } = verify(root);
    const chunks = files.filter((file) => file !== GUARD_FILE);
    const patched = Object.fromEntries(chunks.map((file) => [file, sha256(readFileSync(join(root, file)))]));
    for (const file of chunks) parseModule(readFileSync(join(root, file), "utf8"));
    const { runs, refused } = await runGates(root);
    revert(root);
    const changed = difference(before, readTree(root));
    const faults = [
      ...refused.map((text) => `a gate let through: ${text}`),
      ...changed.map((file) => `${file} is not what it was after revert`),
    ];
    return { ...base, outcome: "applied", faults, gateRuns: runs, patched };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const changed = difference(before, readTree(root)).map(
      (file) => `${file} was changed although the patch was refused`,
    );
    return { ...base, outcome: "refused", faults: [error.message, ...changed], gateRuns: 0, patched: {} };
  }
}

function difference(before: ReadonlyMap<string, FileFacts>, after: ReadonlyMap<string, FileFacts>): readonly string[] {
  const files = new Set([...before.keys(), ...after.keys()]);
  return [...files].filter((file) => before.get(file)?.sha256 !== after.get(file)?.sha256);
}
