import { join } from "node:path";
import { ensurePatched } from "../../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../../src/patching/base/releases.ts";
import { startOpenClaw, toTranscript, WORKSPACE_NOTE, type OpenClawDriver } from "../../../harness/openclaw/index.ts";
import { HEALTHY } from "../../../harness/openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../../../harness/providers/index.ts";
import { median } from "../measure.ts";

/** A whole turn with a call of a tool, with the guard and its journal and with `OPENCLAW_INTEGRITY=off`. */
export interface JournalTurnCost {
  release: Release;
  rounds: number;
  offMs: number;
  onMs: number;
  /** Median of the ratios of neighbouring turns. */
  ratio: number;
  /** The middle half of these ratios: what one turn's noise is. */
  spread: [number, number];
}

const WARM_UP = 8;
const API = "anthropic-messages";

/** Measures turns by the clock, since waiting for the disk is no CPU time. */
export async function measureJournalTurns(release: Release, rounds: number): Promise<JournalTurnCost> {
  const { patched } = await ensurePatched(release);
  const provider = await startProvider();
  const start = (env: Record<string, string>): Promise<OpenClawDriver> =>
    startOpenClaw({ root: join(patched, "..", ".."), release, providerUrl: provider.url, turnTimeoutMs: 60_000, env });
  const drivers: OpenClawDriver[] = [];
  try {
    const off = await start({ OPENCLAW_INTEGRITY: "off" });
    drivers.push(off);
    const on = await start({});
    drivers.push(on);
    const pairs: { off: number; on: number }[] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      // Who comes second finds the machine as the first left it, so they take turns at that too.
      const first = round % 2 === 0 ? await turn(off, provider) : undefined;
      const onMs = await turn(on, provider);
      const offMs = first ?? (await turn(off, provider));
      if (round >= 0) pairs.push({ off: offMs, on: onMs });
    }
    const ratios = pairs.map((pair) => pair.on / pair.off).toSorted((a, b) => a - b);
    const quarter = Math.floor(ratios.length / 4);
    return {
      release,
      rounds,
      offMs: median(pairs.map((pair) => pair.off)),
      onMs: median(pairs.map((pair) => pair.on)),
      ratio: median(ratios),
      spread: [ratios[quarter]!, ratios.at(-1 - quarter)!],
    };
  } finally {
    for (const driver of drivers) await driver.close();
    await provider.close();
  }
}

/** Milliseconds from a user's message to the answer, with one call of `read` in between, in a session of its own. */
async function turn(driver: OpenClawDriver, provider: StrictProvider): Promise<number> {
  provider.reset();
  const run = await driver.run({ transcript: toTranscript(HEALTHY), api: API, messages: [] });
  provider.script({ kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] });
  const { answered, error, ms } = await run.send("read the note");
  if (!answered || provider.requests.length !== 2)
    throw new Error(`${driver.release}: ${error ?? "the tool was not called"}`);
  return ms;
}
