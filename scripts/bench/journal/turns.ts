import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import { toTranscript, WORKSPACE_NOTE } from "../../../harness/openclaw/index.ts";
import { HEALTHY } from "../../../harness/openclaw/samples.ts";
import type { Release } from "../../../src/patching/base/releases.ts";
import { inTurn, median, type Pair, type Ratio, estimateRatio } from "../measure.ts";
import { startMeasured, type MeasuredOpenClaw } from "../openclaw/process.ts";

/** A whole turn with a call of a tool, with the guard and its journal and with `OPENCLAW_INTEGRITY=off`. */
export interface JournalTurnCost {
  readonly release: Release;
  /** How many processes of each kind were started, and the turns of each. */
  readonly processes: number;
  readonly rounds: number;
  readonly offMs: number;
  readonly onMs: number;
  /** With the journal to without. */
  readonly on: Ratio;
}

const WARM_UP = 8;
const API = "anthropic-messages";
const ENVIRONMENTS: readonly Record<string, string>[] = [{ OPENCLAW_INTEGRITY: "off" }, {}];

/**
 * Measures turns by the clock, since waiting for the disk is no CPU time. Compared are processes, of which one costs more
 * than another of the same OpenClaw for as long as it lives.
 */
export async function measureJournalTurns(
  release: Release,
  processes: number,
  rounds: number,
): Promise<JournalTurnCost> {
  const { patched } = await ensurePatched(release);
  const pairs: Pair[] = [];
  for (let round = 0; round < processes; round++) {
    const started: MeasuredOpenClaw[] = [];
    try {
      for (const env of ENVIRONMENTS) started.push(await startMeasured(release, patched, { env }));
      const times = await inTurn(
        started.map((one) => () => turn(one)),
        rounds,
        WARM_UP,
      );
      const [base, other] = times.map(median) as [number, number];
      pairs.push({ base, other });
    } finally {
      for (const one of started) await one.close();
    }
  }
  return {
    release,
    processes,
    rounds,
    offMs: median(pairs.map(({ base }) => base)),
    onMs: median(pairs.map(({ other }) => other)),
    on: estimateRatio(pairs),
  };
}

/** Milliseconds from a user's message to the answer, with one call of `read` in between, in a session of its own. */
async function turn({ driver, provider }: MeasuredOpenClaw): Promise<number> {
  provider.reset();
  const run = await driver.run({ transcript: toTranscript(HEALTHY), api: API, messages: [] });
  provider.script({ kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] });
  const { answered, error, ms } = await run.send("read the note");
  if (!answered || provider.requests.length !== 2)
    throw new Error(`${driver.release}: ${error ?? "the tool was not called"}`);
  return ms;
}
