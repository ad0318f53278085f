import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { workerEnvironment } from "../../harness/openclaw/environment.ts";
import { markdownTable } from "../fuzz/table.ts";
import { median } from "./measure.ts";
import { describeMaking } from "../measured/making.ts";

/** One move and one rewind, one right behind the other. */
export interface TravelRound {
  /** How many entries lie behind the target. */
  readonly back: number;
  readonly moveMs: number;
  /** OpenClaw's rewind has returned. */
  readonly rewindMs: number;
  /** The session that it made can be read. */
  readonly readableMs: number;
}

/** What going back costs, by distance. */
export interface TravelCost extends TravelRound {
  /** Medians of the ratios of neighbouring rounds. */
  readonly ratio: number;
  readonly readableRatio: number;
}

const WORKER = fileURLToPath(new URL("travel-worker.ts", import.meta.url));
const ENTRIES = 10_000;
const ROUNDS = 7;
const AIM = 0.1;

/**
 * Measures a move against OpenClaw's own rewind on a session of 10,000 entries of the patched 2026.9.6. The aim is that
 * a move costs less than a tenth of the rewind.
 */
export async function measureTravel(): Promise<TravelCost[]> {
  const { patched } = await ensurePatched("2026.9.6", {});
  const home = mkdtempSync(join(tmpdir(), "bench-travel-"));
  try {
    for (const path of ["state/agents/main/agent", "tmp"]) mkdirSync(join(home, path), { recursive: true });
    const child = fork(WORKER, [join(patched, "dist"), String(ENTRIES), String(ROUNDS)], {
      execArgv: ["--no-warnings"],
      env: workerEnvironment(home, "http://127.0.0.1:9"),
      serialization: "advanced",
    });
    const ended = once(child, "exit");
    const [rounds] = (await Promise.race([once(child, "message"), ended])) as unknown[];
    await ended;
    if (!Array.isArray(rounds)) throw new Error("The measurement of moves failed.");
    return [...Map.groupBy(rounds as TravelRound[], ({ back }) => back)].map(([back, same]) => ({
      back,
      moveMs: median(same.map(({ moveMs }) => moveMs)),
      rewindMs: median(same.map(({ rewindMs }) => rewindMs)),
      readableMs: median(same.map(({ readableMs }) => readableMs)),
      readableRatio: median(same.map(({ moveMs, readableMs }) => moveMs / readableMs)),
      ratio: median(same.map(({ moveMs, rewindMs }) => moveMs / rewindMs)),
    }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The costs as a table. */
export function travelRows(costs: readonly TravelCost[]): string[][] {
  return [
    [
      "entries behind the target",
      "move, ms",
      "OpenClaw's rewind, ms",
      "times",
      "rewind until it can be read, ms",
      "times",
    ],
    ...costs.map(({ back, moveMs, rewindMs, ratio, readableMs, readableRatio }) => [
      String(back),
      moveMs.toFixed(1),
      rewindMs.toFixed(0),
      ratio.toFixed(3),
      readableMs.toFixed(0),
      readableRatio.toFixed(3),
    ]),
  ];
}

/** Whether the aim is reached, in a line. */
export function travelVerdicts(costs: readonly TravelCost[]): string[] {
  return costs.map(
    ({ back, ratio }) =>
      `a move over ${back} entries costs less than a tenth of OpenClaw's own rewind: ${ratio < AIM ? "reached" : "NOT reached"}`,
  );
}

/** results/bench-travel.md. */
export function formatTravelReport(command: string, costs: readonly TravelCost[]): string {
  return `# What going back costs

${describeMaking(command)}

${travelVerdicts(costs)
  .map((line) => `- ${line}`)
  .join("\n")}

A session of ${ENTRIES.toLocaleString("en")} entries in the patched OpenClaw 2026.9.6, in one process. A move is everything from the call of \`tobe\` to the list that the run goes on
with: target and note checked, the carryover appended in one transaction with OpenClaw's index. OpenClaw's own rewind copies the rows into a new session, and a job
behind it indexes them; until then no turn can read it. What a run has loaded here are the last 3,843 entries: a target before them has the whole session read. Turn and turn about, medians of ${ROUNDS} rounds.

${markdownTable(travelRows(costs))}
`;
}
