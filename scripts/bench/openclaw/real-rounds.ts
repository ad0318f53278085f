/** What a round of tools costs OpenClaw in a long session, and which part of it the guard's gates take. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import { RELEASES, type Release } from "../../../src/patching/base/releases.ts";
import { readCpuTime } from "../cpu.ts";
import { median } from "../measure.ts";
import { startMeasured } from "./process.ts";
import { makeSession } from "./turns.ts";

/** Medians of the rounds of one run. */
export interface RealRoundCost {
  readonly release: Release;
  readonly messages: number;
  readonly rounds: number;
  /** ms of CPU of the stock and the patched OpenClaw in one round. */
  readonly stockMs: number;
  readonly patchedMs: number;
  /** ms that the gates take of a round, of the first and the last quarter. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Their part of the CPU of all rounds. */
  readonly share: number;
}

const API = "anthropic-messages";
const PRELOAD = new URL("gate-times.mjs", import.meta.url).href;

interface Run {
  /** ms of CPU from each request to the next. */
  readonly cpu: readonly number[];
  /** ms of the gates of each call. */
  readonly gates: readonly number[];
}

/** Measures a run of so many rounds in a session of about `size` messages, on each base release. */
export async function measureRealRounds(size = 5000, rounds = 200): Promise<RealRoundCost[]> {
  const costs: RealRoundCost[] = [];
  for (const { release } of RELEASES) {
    const installed = await ensurePatched(release);
    const transcript = makeSession(size);
    const stock = await measureRun(release, installed.stock, transcript, rounds);
    const patched = await measureRun(release, installed.patched, transcript, rounds);
    const quarter = Math.floor(patched.gates.length / 4);
    costs.push({
      release,
      messages: transcript.split("\n").length - 2,
      rounds: patched.cpu.length,
      stockMs: median(stock.cpu),
      patchedMs: median(patched.cpu),
      firstMs: median(patched.gates.slice(0, quarter)),
      lastMs: median(patched.gates.slice(-quarter)),
      share: median(patched.gates) / median(patched.cpu),
    });
  }
  return costs;
}

async function measureRun(release: Release, folder: string, transcript: string, rounds: number): Promise<Run> {
  const home = mkdtempSync(join(tmpdir(), "bench-gates-"));
  const file = join(home, "times");
  const env = { GATE_TIMES_FILE: file, NODE_OPTIONS: `--import=${PRELOAD}` };
  const openclaw = await startMeasured(release, folder, { env, turnTimeoutMs: 1_200_000 });
  const { driver, provider, pid } = openclaw;
  try {
    const cpu: number[] = [];
    let before: number | undefined;
    provider.enforce({
      name: "a look at the clock",
      check: () => {
        const now = readCpuTime(pid);
        if (before !== undefined) cpu.push(now - before);
        before = now;
        return undefined;
      },
    });
    const run = await driver.run({ transcript, api: API, messages: [], contextWindow: 4_000_000, tools: ["exec"] });
    for (let round = 0; round < rounds; round++)
      provider.script({ kind: "tool", calls: [{ name: "exec", arguments: { command: `echo ${round}` } }] });
    const { answered, error } = await run.send("count");
    if (!answered || cpu.length < rounds) throw new Error(`${release}: ${error ?? `only ${cpu.length} rounds`}`);
    return { cpu, gates: readGateTimes(file) };
  } finally {
    await openclaw.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The times of the wire gate's two halves, added for each call; none where the guard does not run. */
function readGateTimes(file: string): number[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  const calls: number[] = [];
  let waiting: number | undefined;
  for (const line of text.trimEnd().split("\n")) {
    const [gate, ms] = line.split(" ");
    if (gate === "messages") waiting = Number(ms);
    else if (gate === "body" && waiting !== undefined) {
      calls.push(waiting + Number(ms));
      waiting = undefined;
    }
  }
  return calls;
}

/** The rounds as rows of a table, its head first. */
export function realRoundRows(costs: readonly RealRoundCost[]): string[][] {
  return [
    [
      "release",
      "messages",
      "rounds",
      "stock, ms CPU of a round",
      "patched, ms CPU",
      "gates, first quarter, ms",
      "last quarter, ms",
      "gates' part of a round",
    ],
    ...costs.map(({ release, messages, rounds, stockMs, patchedMs, firstMs, lastMs, share }) => [
      release,
      messages.toLocaleString("en-US"),
      String(rounds),
      stockMs.toFixed(1),
      patchedMs.toFixed(1),
      firstMs.toFixed(2),
      lastMs.toFixed(2),
      `${(share * 100).toFixed(1)} %`,
    ]),
  ];
}
