import type { Release } from "../../src/patching/base/releases.ts";
import { targetsOf, writtenBy } from "../../harness/adapters/targets.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { toTranscript, type StoredMessage } from "../../harness/openclaw/index.ts";
import { startPair, type Side } from "../fuzz/pair.ts";
import { childrenOf, cpuOf } from "./cpu.ts";
import { median, ratioOf } from "./measure.ts";

/** CPU of a whole turn of OpenClaw, unpatched and patched. */
export interface TurnCost {
  release: Release;
  messages: number;
  rounds: number;
  stockMs: number;
  patchedMs: number;
  /** Patched to stock, the median of neighbouring turns. */
  ratio: number;
  /** The interval that holds the true ratio with 95 % confidence. */
  interval: [number, number];
}

const API = "anthropic-messages";
const WARM_UP = 12;

/** A driven OpenClaw and the process that it runs in. */
interface Measurable extends Pick<Side, "driver" | "provider"> {
  pid: number;
}

/** A healthy session of about `size` messages. */
export function sessionOf(size: number): string {
  const long = healthyFrom(11, size);
  const end = long.findLastIndex((message, index) => index <= size && (message as { role: string }).role === "user");
  const plain = JSON.parse(
    JSON.stringify(long.slice(0, end)).replaceAll("calendar.list", "calendar_list"),
  ) as StoredMessage[];
  return toTranscript(writtenBy(targetsOf(API)[0]!, plain) as StoredMessage[], { seed: `bench-${size}` });
}

/** CPU time of one turn in a session of its own, in ms. */
export async function turn({ driver, provider, pid }: Measurable, transcript: string): Promise<number> {
  provider.reset();
  // Storing the session is none of OpenClaw's turn.
  const run = await driver.run({ transcript, api: API, messages: [] });
  const before = cpuOf(pid);
  const { answered, error } = await run.send("hello there");
  if (!answered) throw new Error(`${driver.release}: ${error ?? "no answer"}`);
  return cpuOf(pid) - before;
}

/** Measures turns of a release, unpatched and patched in turn, in sessions of each size. */
export async function measureTurns(release: Release, sizes: readonly number[], rounds: number): Promise<TurnCost[]> {
  const known = childrenOf(process.pid);
  const pair = await startPair(release, "patched");
  try {
    // The two workers are this process's only new children, the stock one first.
    const [stockPid, patchedPid] = childrenOf(process.pid).filter((pid) => !known.includes(pid));
    if (stockPid === undefined || patchedPid === undefined) throw new Error("OpenClaw's processes are not to be found");
    const stock = { ...pair.left, pid: stockPid };
    const patched = { ...pair.right, pid: patchedPid };
    const costs: TurnCost[] = [];
    for (const size of sizes) {
      const transcript = sessionOf(size);
      const samples: { stock: number; patched: number }[] = [];
      for (let round = -WARM_UP; round < rounds; round++) {
        // Who comes second finds the machine as the first left it, so they take turns at that too.
        const first = round % 2 === 0 ? await turn(stock, transcript) : undefined;
        const patchedMs = await turn(patched, transcript);
        const stockMs = first ?? (await turn(stock, transcript));
        if (round >= 0) samples.push({ stock: stockMs, patched: patchedMs });
      }
      costs.push(costOf(release, transcript.split("\n").length - 2, samples));
    }
    return costs;
  } finally {
    await pair.close();
  }
}

function costOf(release: Release, messages: number, samples: readonly { stock: number; patched: number }[]): TurnCost {
  const stockMs = median(samples.map(({ stock }) => stock));
  const patchedMs = median(samples.map(({ patched }) => patched));
  const { ratio, low, high } = ratioOf(samples.map(({ stock, patched }) => ({ base: stock, other: patched })));
  return {
    release,
    messages,
    rounds: samples.length,
    stockMs,
    patchedMs,
    ratio,
    interval: [low, high],
  };
}
