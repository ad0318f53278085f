/** Runs OpenClaw's own tests in one tree: as it is, and with the patch applied to its sources. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../src/patching/base/hash.ts";
import { applyToCheckout } from "../../src/patching/checkout/apply.ts";
import { MANIFEST } from "../../src/patching/checkout/vendored.ts";
import { tryStep } from "../sources/step.ts";
import { gitIn, resetTree, type Tree } from "../sources/tree.ts";
import { compareRuns, type Comparison, type FileResult } from "./compare.ts";
import { pnpmCalls } from "./files.ts";

/** With or without the patch. */
export type Variant = "unpatched" | "patched";
export const VARIANTS: readonly Variant[] = ["unpatched", "patched"];

/** What was run. */
export interface TestRun extends Comparison {
  /** Files that gave no result in either run: the tree's own configurations leave them out. */
  readonly leftOut: readonly string[];
  /** Tests that differed once, and no more when their file ran by itself, again in both. */
  readonly unsteady: Comparison["differences"];
  /** First lines of errors that Vitest caught outside of a test. */
  readonly outside: Readonly<Record<Variant, readonly string[]>>;
}

/** Options of {@link runBoth}. */
export interface RunOptions {
  readonly files: readonly string[];
  /** Where the results are kept; a run that was interrupted goes on. */
  readonly folder: string;
  readonly workers: number;
  readonly say: (line: string) => void;
}

const REPORTER = fileURLToPath(new URL("reporter.mjs", import.meta.url));
/** So many files in one call of Vitest: after a kill at most these run again. */
const PIECE = 80;

/** Runs the files in both variants, and those with a difference once more by themselves. The tree is left unpatched. */
export async function runBoth(tree: Tree, options: RunOptions): Promise<TestRun> {
  const { files, folder, say } = options;
  mkdirSync(folder, { recursive: true });
  try {
    for (const variant of VARIANTS) await runVariant(tree, variant, options, files, resultsIn(folder, variant));
    const first = compareAll(folder, files);
    const again = [...new Set(first.differences.map(({ file }) => file))];
    if (again.length > 0) {
      say(`${first.differences.length} differences in ${again.length} files, which run once more by themselves`);
      const repeat = { ...options, workers: 1 };
      for (const variant of VARIANTS) await runVariant(tree, variant, repeat, again, resultsIn(folder, variant), true);
    }
    const comparison = compareAll(folder, files);
    const done = new Set(VARIANTS.flatMap((variant) => readResults(resultsIn(folder, variant))).map((one) => one.file));
    const lasting = new Set(comparison.differences.map(key));
    return {
      ...comparison,
      leftOut: files.filter((file) => !done.has(file)),
      unsteady: first.differences.filter((one) => !lasting.has(key(one))),
      outside: {
        unpatched: errorsOutside(resultsIn(folder, "unpatched")),
        patched: errorsOutside(resultsIn(folder, "patched")),
      },
    };
  } finally {
    resetTree(tree.root);
  }
}

async function runVariant(
  tree: Tree,
  variant: Variant,
  { workers, say }: RunOptions,
  files: readonly string[],
  out: string,
  isAgain = false,
): Promise<void> {
  resetTree(tree.root);
  if (variant === "patched") applyToCheckout(tree.root);
  forgetOthers(tree.root, out);
  const done = new Set(isAgain ? [] : readResults(out).map(({ file }) => file));
  const left = files.filter((file) => !done.has(file));
  for (let at = 0; at < left.length; at += PIECE) {
    const piece = left.slice(at, at + PIECE);
    say(`${variant}: ${at + piece.length} of ${left.length} files`);
    await runPiece(tree, variant, workers, piece, out);
  }
}

/**
 * Runs these files, and again those without a result, for as long as any gets one: `pnpm test` does not begin with the
 * next of its configurations when a test of one has failed.
 */
async function runPiece(
  tree: Tree,
  variant: Variant,
  workers: number,
  piece: readonly string[],
  out: string,
): Promise<void> {
  const options = [`--reporter=${REPORTER}`, `--maxWorkers=${workers}`];
  const env = {
    UPSTREAM_TESTS_OUT: out,
    OPENCLAW_TEST_WORKERS: String(workers),
    OPENCLAW_E2E_WORKERS: String(workers),
  };
  const known = readResults(out).length;
  let left = piece;
  for (let before = Infinity; left.length > 0 && left.length < before;) {
    before = left.length;
    for (const { args } of pnpmCalls(tree.root, left, options))
      await tryStep({
        name: `tests ${variant}`,
        program: tree.tools.pnpm,
        args,
        folder: tree.root,
        env: { ...tree.tools.env, ...env },
        log: join(dirname(out), `${variant}.log`),
      });
    const done = new Set(
      readResults(out)
        .slice(known)
        .map(({ file }) => file),
    );
    left = piece.filter((file) => !done.has(file));
  }
}

/** Results of another Node or another guard are none of this one. */
function forgetOthers(root: string, out: string): void {
  const manifest = join(root, MANIFEST);
  const guard = existsSync(manifest) ? readFileSync(manifest, "utf8") : "";
  const identity = sha256([process.versions.node, guard, gitIn(root, "diff")].join("\n"));
  const stamp = `${out}.of`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === identity) return;
  rmSync(out, { force: true });
  writeFileSync(stamp, identity);
}

function key({ file, test }: { readonly file: string; readonly test: string }): string {
  return `${file}\n${test}`;
}

/** Of the files that were asked for: an earlier call may have run others. */
function compareAll(folder: string, files: readonly string[]): Comparison {
  const asked = new Set(files);
  const [before, after] = VARIANTS.map((variant) =>
    readResults(resultsIn(folder, variant)).filter(({ file }) => asked.has(file)),
  );
  return compareRuns(before!, after!);
}

function resultsIn(folder: string, variant: Variant): string {
  return join(folder, `${variant}.jsonl`);
}

/** Forgets what an earlier run has left. */
export function forget(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function readResults(path: string): readonly FileResult[] {
  return readLines(path).filter((line): line is FileResult => "file" in line);
}

function errorsOutside(path: string): readonly string[] {
  return [...new Set(readLines(path).flatMap((line) => ("outside" in line ? line.outside : [])))];
}

function readLines(path: string): readonly (FileResult | { readonly outside: readonly string[] })[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as FileResult];
      } catch {
        // The last line of a run that was killed.
        return [];
      }
    });
}
