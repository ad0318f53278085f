import { join } from "node:path";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import type { Variant } from "../start/record.ts";
import type { GateCase } from "./case.ts";
import { findException, type Exception } from "./exceptions.ts";
import { judgePair, type Finding } from "./judge.ts";
import { Lane } from "./lane.ts";
import type { CaseRecord } from "./record.ts";

/** A case in both OpenClaws, and what is worse with the patch. */
export interface Pair {
  release: string;
  played: GateCase;
  stock: CaseRecord;
  patched: CaseRecord;
  /** What is worse, exceptions left out. */
  findings: Finding[];
  /** The exceptions that applied. */
  excepted: Exception[];
}

/** How the cases are played. */
export interface GateRun {
  release: Release;
  cases: readonly GateCase[];
  /** How many processes of each OpenClaw share the cases. */
  lanes: number;
  /** No case is begun after so many minutes. */
  minutes?: number;
  say: (line: string) => void;
  onPair?: (pair: Pair, done: number, total: number) => void;
}

const VARIANTS: readonly Variant[] = ["stock", "patched"];

/**
 * Plays the cases on a release, unpatched and patched side by side, in the time that there is. The pairs are in the order
 * of the cases; a case that only one of the two has played is left out.
 */
export async function runGate({
  release,
  cases,
  lanes: count,
  minutes = Infinity,
  say,
  onPair,
}: GateRun): Promise<Pair[]> {
  const installed = await ensurePatched(release, { say });
  const lanes: Lane[] = [];
  try {
    for (const variant of VARIANTS)
      for (let nth = 0; nth < count; nth++)
        lanes.push(await Lane.start({ release, variant, root: join(installed[variant], "..", "..") }));
    const taken = cases.filter((one) => lanes.every((lane) => lane.takes(one)));
    const queues = new Map(VARIANTS.map((variant) => [variant, taken.values()]));
    const records = new Map<GateCase, Partial<Record<Variant, CaseRecord>>>();
    const pairs: Pair[] = [];
    const end = performance.now() + minutes * 60_000;
    const work = async (lane: Lane): Promise<void> => {
      for (const played of queues.get(lane.variant)!) {
        if (performance.now() > end) return;
        const both = records.get(played) ?? {};
        records.set(played, both);
        both[lane.variant] = await lane.play(played);
        const { stock, patched } = both;
        if (!stock || !patched) continue;
        records.delete(played);
        const pair = makePair(stock, patched);
        pairs.push(pair);
        onPair?.(pair, pairs.length, taken.length);
      }
    };
    await Promise.all(lanes.map(work));
    const place = new Map(taken.map((one, at) => [one, at]));
    return pairs.toSorted((left, right) => place.get(left.played)! - place.get(right.played)!);
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
}

function makePair(stock: CaseRecord, patched: CaseRecord): Pair {
  const { release, played } = patched;
  const judged = judgePair(stock, patched).map((finding) => ({ finding, exception: findException(finding, patched) }));
  return {
    release,
    played,
    stock,
    patched,
    findings: judged.filter(({ exception }) => exception === undefined).map(({ finding }) => finding),
    excepted: judged.flatMap(({ exception }) => exception ?? []),
  };
}
