import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { snapshotsSize, WorkspaceStore } from "../../src/workspace/index.ts";
import { markdownTable } from "../fuzz/table.ts";
import { median } from "./measure.ts";
import { describeMaking } from "../measured/making.ts";

/** What capturing a workspace costs, with so many files. */
export interface FilesCost {
  readonly files: number;
  /** The first capture, which stores every file. */
  readonly firstMs: number;
  readonly firstBytes: number;
  /** `git status` in the person's own repository of the same files. */
  readonly statusMs: number;
  /** A capture when nothing has changed, and one after a file was changed; the ratios are of neighbouring runs. */
  readonly unchangedMs: number;
  readonly unchangedRatio: number;
  readonly changedMs: number;
  readonly changedRatio: number;
}

const SIZES = [100, 5000, 50_000];
const ROUNDS = 15;
const PER_FOLDER = 100;
const AIM = 1.5;

/** Measures captures beside `git status` on workspaces of 100, 5,000 and 50,000 files of 1 KB. */
export async function measureFiles(): Promise<FilesCost[]> {
  const costs: FilesCost[] = [];
  for (const files of SIZES) costs.push(await measureSize(files));
  return costs;
}

async function timed(work: () => unknown): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

async function measureSize(files: number): Promise<FilesCost> {
  const folder = mkdtempSync(join(tmpdir(), "bench-files-"));
  try {
    const workspace = join(folder, "workspace");
    const state = join(folder, "state");
    mkdirSync(state);
    for (let at = 0; at < files; at++) {
      const within = join(workspace, `folder-${Math.floor(at / PER_FOLDER)}`);
      if (at % PER_FOLDER === 0) mkdirSync(within, { recursive: true });
      writeFileSync(join(within, `file-${at}.txt`), `${at}\n${"x".repeat(1000)}\n`);
    }
    const git = (...args: string[]): unknown => execFileSync("git", args, { cwd: workspace, stdio: "pipe" });
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=bench", "-c", "user.email=bench", "commit", "-q", "-m", "all");
    const store = WorkspaceStore.at(state, workspace);
    const captured = (): Promise<unknown> => store.use(({ capture }) => capture());
    const firstMs = await timed(captured);
    const firstBytes = snapshotsSize(store);
    // git trusts no file that is as young as its index.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    git("status", "--porcelain");
    await captured();
    const rounds: { statusMs: number; unchangedMs: number; changedMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const statusMs = await timed(() => git("status", "--porcelain"));
      const unchangedMs = await timed(captured);
      writeFileSync(join(workspace, "folder-0", "file-0.txt"), `changed ${round}\n`);
      rounds.push({ statusMs, unchangedMs, changedMs: await timed(captured) });
    }
    const pickMedian = (pick: (round: (typeof rounds)[number]) => number): number => median(rounds.map(pick));
    return {
      files,
      firstMs,
      firstBytes,
      statusMs: pickMedian(({ statusMs }) => statusMs),
      unchangedMs: pickMedian(({ unchangedMs }) => unchangedMs),
      unchangedRatio: pickMedian(({ unchangedMs, statusMs }) => unchangedMs / statusMs),
      changedMs: pickMedian(({ changedMs }) => changedMs),
      changedRatio: pickMedian(({ changedMs, statusMs }) => changedMs / statusMs),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The costs as a table. */
export function filesRows(costs: readonly FilesCost[]): string[][] {
  return [
    [
      "files",
      "git status, ms",
      "before a batch, nothing changed, ms",
      "times",
      "after a batch, one file changed, ms",
      "times",
      "first capture, ms",
      "its store, MiB",
    ],
    ...costs.map((cost) => [
      String(cost.files),
      cost.statusMs.toFixed(1),
      cost.unchangedMs.toFixed(1),
      cost.unchangedRatio.toFixed(2),
      cost.changedMs.toFixed(1),
      cost.changedRatio.toFixed(2),
      cost.firstMs.toFixed(0),
      (cost.firstBytes / 1024 / 1024).toFixed(1),
    ]),
  ];
}

function verdict(ratio: number): string {
  return `${ratio.toFixed(2)} times git status, aim ${AIM}: ${ratio < AIM ? "reached" : "missed"}`;
}

/**
 * Whether the aim is reached: a capture takes less than 1.5 times as long as `git status`. A turn waits for the one before
 * a batch; the one after it is made while the model is asked.
 */
export function filesVerdicts(costs: readonly FilesCost[]): string[] {
  return costs.map(
    ({ files, unchangedRatio, changedRatio }) =>
      `${files} files: waited for before a batch ${verdict(unchangedRatio)}; in the background after it ${verdict(changedRatio)}`,
  );
}

export function formatFilesReport(command: string, costs: readonly FilesCost[]): string {
  return `# What capturing files costs

${describeMaking(command)}

A batch of calls that may change files costs one capture before it, which the calls wait for, and one after it, which is
made while the model is asked: a look at every file by the handle of its folder, and three calls of git where something
has changed. Beside them, in the same run, \`git status\` in the person's own repository of the same files. Medians of
${ROUNDS} rounds; the ratios are medians of neighbouring runs.

${markdownTable(filesRows(costs))}

${filesVerdicts(costs)
  .map((line) => `- ${line}`)
  .join("\n")}
`;
}
