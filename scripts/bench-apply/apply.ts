/** What applying the patch costs, against reading the files that have to be looked through for it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { LATEST } from "../../src/patching/base/releases.ts";
import { median } from "../bench/measure.ts";

/** Milliseconds, medians over the rounds; every round is a process of its own, as a command is. */
export interface ApplyCost {
  readonly release: string;
  readonly rounds: number;
  /** Reading every script of dist and searching it for the needles. */
  readonly readMs: number;
  readonly applyMs: number;
  /** Median of the ratios of the two in one process. */
  readonly ratio: number;
}

interface Round {
  readonly readMs: number;
  readonly applyMs: number;
}

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const COPY = fileURLToPath(new URL("../../.cache/bench-apply", import.meta.url));

/** Applies to a copy of the latest base release and takes it back, as often as asked. */
export async function measureApply(rounds: number): Promise<ApplyCost> {
  const { stock } = await ensureRelease(LATEST);
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(dirname(COPY), { recursive: true });
  shareTree(stock, COPY);
  try {
    const all = Array.from(
      { length: rounds },
      () => JSON.parse(execFileSync(process.execPath, [WORKER, COPY], { encoding: "utf8" })) as Round,
    );
    return {
      release: LATEST,
      rounds,
      readMs: median(all.map(({ readMs }) => readMs)),
      applyMs: median(all.map(({ applyMs }) => applyMs)),
      ratio: median(all.map(({ readMs, applyMs }) => applyMs / readMs)),
    };
  } finally {
    rmSync(COPY, { recursive: true, force: true });
  }
}
