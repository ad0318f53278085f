/** One source tree: patched, built, packed, installed, and proved. */
import { proofLines, prove } from "../../src/prove/index.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { listFaults, runCases, tallyRuns, type Extent, type Tally } from "../matrix/real.ts";
import { StepError } from "../sources/step.ts";
import type { Tree } from "../sources/tree.ts";
import { buildEachCommit, type BuiltSeries } from "./series.ts";
import { buildVariant, type Build } from "./steps.ts";

/** What became of a tree; a part that was not reached is absent, and `failed` says why. */
export interface ForkRun {
  readonly release: string;
  /** What the copy of the sources has otherwise, and what the build left out. */
  readonly notes: readonly string[];
  readonly points?: Readonly<Record<string, number>>;
  readonly series?: BuiltSeries;
  readonly proof?: string;
  readonly cases?: { readonly stock: Tally | undefined; readonly patched: Tally; readonly faults: readonly string[] };
  readonly failed?: { readonly step: string; readonly reason: string };
}

/** What is done besides the patched build and its proof. */
export interface ForkOptions {
  readonly extent: Extent;
  /** Also builds the sources as they are, and runs the cases on both. */
  readonly stock: boolean;
  /** Also type checks and bundles at each commit of the series. */
  readonly series: boolean;
  readonly env: Record<string, string>;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Does all of it; a step that fails ends the tree's run, and is part of the result. */
export async function runFork(tree: Tree, home: string, options: ForkOptions): Promise<ForkRun> {
  const { say } = options;
  const run: { -readonly [Key in keyof ForkRun]: ForkRun[Key] } = { release: tree.release, notes: tree.notes };
  try {
    if (options.series) run.series = await buildEachCommit(tree, say);
    const stock = options.stock ? await buildVariant(tree, home, "stock", say) : undefined;
    const patched = await buildVariant(tree, home, "patched", say);
    run.points = patched.points;
    run.notes = [...tree.notes, ...patched.leftOut.map((line) => `the build says: ${line}`)];
    say("prove");
    const report = await prove(patched.openclaw, { signal: options.signal });
    run.proof = report.sentence;
    for (const line of proofLines(report)) say(line);
    run.cases = await playCases(tree, stock, patched, options);
  } catch (error) {
    if (error instanceof StepError) run.failed = { step: error.step, reason: error.reason };
    else if (error instanceof PatchError) run.failed = { step: "apply --source", reason: error.message };
    else throw error;
  }
  return run;
}

async function playCases(
  { release }: Tree,
  stock: Build | undefined,
  patched: Build,
  { extent, env, signal, say }: ForkOptions,
): Promise<ForkRun["cases"]> {
  say(`the ${extent} of corrupt sessions through the ${stock ? "unpatched and the " : ""}patched build`);
  const folders = { stock: (stock ?? patched).openclaw, patched: patched.openclaw };
  const { records } = await runCases(folders, release, extent, {
    env,
    signal,
    stock: stock !== undefined,
    onRun: (done, total) => {
      if (done % 10 === 0 || done === total) say(`${done} of ${total} runs`);
    },
  });
  return {
    stock: stock && tallyRuns(records, "stock"),
    patched: tallyRuns(records, "patched"),
    faults: listFaults(records),
  };
}
