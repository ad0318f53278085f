import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import { listTargets, writtenBy } from "../../../harness/adapters/targets.ts";
import { healthyFrom } from "../../../harness/arbitrary/history.ts";
import { toTranscript, type StoredMessage } from "../../../harness/openclaw/index.ts";
import type { Release } from "../../../src/patching/base/releases.ts";
import { readCpuTime } from "../cpu.ts";
import { inTurn, median, type Ratio, estimateRatio, ratioWords } from "../measure.ts";
import { startMeasured, type MeasuredOpenClaw } from "./process.ts";

/** CPU of a whole turn of OpenClaw, unpatched and patched. */
export interface TurnCost {
  readonly release: Release;
  readonly messages: number;
  /** Whether the turns follow each other in one conversation, or each one is the first of a session. */
  readonly goesOn: boolean;
  /** How many processes of each kind were started, and the turns of each. */
  readonly processes: number;
  readonly rounds: number;
  readonly stockMs: number;
  readonly patchedMs: number;
  /** Patched to stock. */
  readonly patched: Ratio;
  /** Another unpatched process to the first one: what the method finds where there is nothing to find. */
  readonly control: Ratio;
}

const API = "anthropic-messages";
const WARM_UP = 10;
/** Lengths of the sessions, and whether the conversation goes on. */
const SESSIONS = [
  { size: 20, goesOn: true },
  { size: 200, goesOn: true },
  { size: 200, goesOn: false },
] as const;

/** A healthy session of about `size` messages. */
export function makeSession(size: number): string {
  const long = healthyFrom(11, size);
  const end = long.findLastIndex((message, index) => index <= size && (message as { role: string }).role === "user");
  const plain = JSON.parse(
    JSON.stringify(long.slice(0, end)).replaceAll("calendar.list", "calendar_list"),
  ) as StoredMessage[];
  return toTranscript(writtenBy(listTargets(API)[0]!, plain) as StoredMessage[], { seed: `bench-${size}` });
}

/** Returns what measures the CPU time of one turn in ms: each in a session of its own, or all in one conversation. */
export function makeTurnTimer(
  { driver, provider, pid }: Omit<MeasuredOpenClaw, "close">,
  transcript: string,
  goesOn = false,
): () => Promise<number> {
  let conversation: ReturnType<typeof driver.run> | undefined;
  return async () => {
    provider.reset();
    // Storing the session is none of OpenClaw's turn.
    const run = await (goesOn
      ? (conversation ??= driver.run({ transcript, api: API, messages: [] }))
      : driver.run({ transcript, api: API, messages: [] }));
    const before = readCpuTime(pid);
    const { answered, error } = await run.send("hello there");
    if (!answered) throw new Error(`${driver.release}: ${error ?? "no answer"}`);
    return readCpuTime(pid) - before;
  };
}

/** Medians of the turns of one process each. */
interface Three {
  readonly stock: number;
  readonly patched: number;
  readonly control: number;
}

/**
 * Measures turns of a release: an unpatched, a patched and another unpatched process, turn and turn about, again and
 * again with new processes. One process of the same OpenClaw costs up to a tenth more than another for as long as it
 * lives, hence what is compared are processes, and never so many turns of one.
 */
export async function measureTurns(release: Release, processes: number, rounds: number): Promise<TurnCost[]> {
  const { stock, patched } = await ensurePatched(release);
  const found = SESSIONS.map((): Three[] => []);
  for (let round = 0; round < processes; round++) {
    const started: MeasuredOpenClaw[] = [];
    try {
      for (const folder of [stock, patched, stock]) started.push(await startMeasured(release, folder));
      for (const [at, { size, goesOn }] of SESSIONS.entries())
        found[at]!.push(
          await measureMedians(
            started.map((one) => makeTurnTimer(one, makeSession(size), goesOn)),
            rounds,
          ),
        );
    } finally {
      for (const one of started) await one.close();
    }
  }
  return SESSIONS.map(({ size, goesOn }, at) => {
    const all = found[at]!;
    const ratio = (other: "patched" | "control"): Ratio =>
      estimateRatio(all.map((one) => ({ base: one.stock, other: one[other] })));
    return {
      release,
      messages: makeSession(size).split("\n").length - 2,
      goesOn,
      processes,
      rounds,
      stockMs: median(all.map((one) => one.stock)),
      patchedMs: median(all.map((one) => one.patched)),
      patched: ratio("patched"),
      control: ratio("control"),
    };
  });
}

async function measureMedians(ways: readonly (() => Promise<number>)[], rounds: number): Promise<Three> {
  const [stock, patched, control] = (await inTurn(ways, rounds, WARM_UP)).map(median) as [number, number, number];
  return { stock, patched, control };
}

/** The turns as rows of a table, its head first. */
export function turnRows(costs: readonly TurnCost[]): string[][] {
  return [
    [
      "release",
      "messages",
      "turns",
      "processes",
      "stock, ms CPU",
      "patched, ms CPU",
      "patched, times stock",
      "stock, times stock",
    ],
    ...costs.map(({ release, messages, goesOn, processes, rounds, stockMs, patchedMs, patched, control }) => [
      release,
      messages.toLocaleString("en-US"),
      `${rounds} ${goesOn ? "in one conversation" : "first ones"}`,
      `${processes} of each`,
      stockMs.toFixed(1),
      patchedMs.toFixed(1),
      ratioWords(patched),
      ratioWords(control),
    ]),
  ];
}
