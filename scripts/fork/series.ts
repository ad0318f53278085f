/** Each commit of `apply --source --patch`: upstream's own type check and bundler at every one of them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyToCheckout } from "../../src/patching/checkout/apply.ts";
import { writeSeries } from "../../src/patching/checkout/series.ts";
import { VENDOR_FOLDER } from "../../src/patching/checkout/vendored.ts";
import { StepError } from "../sources/step.ts";
import { gitIn, resetTree, type Tree } from "../sources/tree.ts";
import { pnpm, typeCheck } from "./steps.ts";

/** A commit that type checks and builds. */
export interface BuiltCommit {
  readonly subject: string;
}

/** The commits that build, in order, and how many there are: fewer build where one does not. */
export interface BuiltSeries {
  readonly built: readonly BuiltCommit[];
  readonly commits: number;
  /** Why the next one does not build, or why the whole is not the patch. */
  readonly failed?: { readonly step: string; readonly reason: string };
}

/** Where newer trees keep the call of the bundler that their `pnpm build` makes. */
const BUNDLER = "scripts/tsdown-build.mjs";

/**
 * Applies the series by `git am`, and type checks and bundles at each commit, up to the first that fails. In the end the
 * tree has to be what `apply --source` makes of it.
 */
export async function buildEachCommit(tree: Tree, say: (line: string) => void): Promise<BuiltSeries> {
  const { root } = tree;
  resetTree(root);
  const folder = mkdtempSync(join(tmpdir(), "openclaw-fork-series-"));
  const built: BuiltCommit[] = [];
  let commits = 0;
  try {
    const patches = join(folder, "patches");
    const files = writeSeries(root, patches);
    commits = files.length;
    for (const file of files) {
      gitIn(root, "am", "--quiet", "--keep-cr", join(patches, file));
      const subject = gitIn(root, "log", "-1", "--format=%s");
      const name = `commit-${built.length + 1}`;
      await typeCheck(tree, name, say);
      say(`${name}: tsdown (${subject})`);
      const isOwn = existsSync(join(root, BUNDLER));
      await pnpm(tree, name, "bundle", ["exec", ...(isOwn ? ["node", BUNDLER] : ["tsdown"])]);
      built.push({ subject });
    }
    return { built, commits, ...differenceFromApply(root) };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return { built, commits, failed: { step: error.step, reason: error.reason } };
  } finally {
    resetTree(root);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A series that leaves out a line builds too. */
function differenceFromApply(root: string): Pick<BuiltSeries, "failed"> {
  const bySeries = gitIn(root, "rev-parse", "HEAD^{tree}");
  resetTree(root);
  applyToCheckout(root);
  gitIn(root, "add", "--update");
  gitIn(root, "add", "--force", VENDOR_FOLDER);
  const byApply = gitIn(root, "write-tree");
  if (bySeries === byApply) return {};
  const files = gitIn(root, "diff", "--name-only", bySeries, byApply).split("\n").slice(0, 5);
  return { failed: { step: "the whole series", reason: `another result than apply --source in ${files.join(", ")}` } };
}
