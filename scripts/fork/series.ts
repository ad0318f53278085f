/** Each commit of `apply --source --patch`: upstream's own type check and bundler at every one of them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { revertCheckout } from "../../src/patching/checkout/apply.ts";
import { writeSeries } from "../../src/patching/checkout/series.ts";
import { gitIn, type Tree } from "../sources/tree.ts";
import { pnpm, typeCheck } from "./steps.ts";

/** A commit that type checks and builds. */
export interface BuiltCommit {
  readonly subject: string;
}

/** Applies the series by `git am`, and type checks and builds at each commit. Throws a StepError at the first that does not. */
export async function buildEachCommit(tree: Tree, say: (line: string) => void): Promise<readonly BuiltCommit[]> {
  const { root } = tree;
  revertCheckout(root);
  gitIn(root, "reset", "--quiet", "--hard");
  const before = gitIn(root, "rev-parse", "HEAD");
  const folder = mkdtempSync(join(tmpdir(), "openclaw-fork-series-"));
  const done: BuiltCommit[] = [];
  try {
    const patches = join(folder, "patches");
    for (const file of writeSeries(root, patches)) {
      gitIn(root, "am", "--quiet", "--keep-cr", join(patches, file));
      const subject = gitIn(root, "log", "-1", "--format=%s");
      const name = `commit-${done.length + 1}`;
      await typeCheck(tree, name, say);
      say(`${name}: tsdown (${subject})`);
      await pnpm(tree, name, "bundle", ["exec", "tsdown", "--config-loader", "unrun", "--logLevel", "warn"]);
      done.push({ subject });
    }
    return done;
  } finally {
    gitIn(root, "reset", "--quiet", "--hard", before);
    rmSync(folder, { recursive: true, force: true });
  }
}
