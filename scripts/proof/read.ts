/** Takes the figures of a proof from what each part has written. */
import { survived } from "../recovery/report.ts";
import type { Measurement } from "../recovery/measure.ts";
import type { Counts } from "../random-providers/tally.ts";
import type { SoakRun } from "../soak/report.ts";
import type { FaultKind } from "../soak/judge.ts";
import type { Tally } from "../soak/tally.ts";
import type { Figures as CorpusFigures } from "../start/print/summary.ts";
import { EVERYWHERE, type Cost, type Figure, type Proof } from "./proof.ts";

type ByRelease = Proof["figures"];

/** What `npm start -- --json` writes. */
export interface CorpusReport {
  releases: { release: string; stock: CorpusFigures; patched: CorpusFigures }[];
}

function besideStock(pick: (figures: CorpusFigures) => number, stock: CorpusFigures, patched: CorpusFigures): Figure {
  return { stock: pick(stock), patched: pick(patched), of: patched.runs, stockOf: stock.runs };
}

/** The figures of the corpus. */
export function readCorpus({ releases }: CorpusReport): ByRelease {
  return Object.fromEntries(
    releases.map(({ release, stock, patched }) => [
      release,
      {
        // What came to no end is no answer either.
        "corrupt sessions bricked": besideStock(({ bricked, timedOut }) => bricked + timedOut, stock, patched),
        "corrupt sessions answered with content missing": besideStock(
          ({ half, lossy }) => half + lossy,
          stock,
          patched,
        ),
      },
    ]),
  );
}

/** The figures of the live faults. */
export function readRecovery(measurements: readonly Measurement[]): ByRelease {
  const byRelease = Map.groupBy(measurements, ({ release }) => release);
  return Object.fromEntries(
    [...byRelease].map(([release, all]) => {
      const select = (variant: string): Measurement[] => all.filter((one) => one.variant === variant);
      const [stock, patched] = [select("stock"), select("patched")];
      const beside = (isBad: (one: Measurement) => boolean): Figure => ({
        stock: stock.filter(isBad).length,
        patched: patched.filter(isBad).length,
        of: patched.length,
        stockOf: stock.length,
      });
      return [
        release,
        {
          "conversations dead after a live fault": beside((one) => !survived(one)),
          "half a call executed": beside(({ executed }) => executed === "half executed"),
        },
      ];
    }),
  );
}

/** The figures of the providers with a hidden rule: only the patched OpenClaw and the library are asked. */
export function readProviders({ providers, faults, failed }: Counts): ByRelease {
  const patched = Object.values(faults).reduce((sum, count) => sum + count, failed);
  return { [EVERYWHERE]: { "hidden rules: claims that do not hold": { patched, of: providers } } };
}

/** The figures of the soaks of a release, and what its gateways have used. */
export function readSoaks(runs: readonly SoakRun[]): { figures: ByRelease[string]; costs: Proof["costs"][string] } {
  const tallies = runs.flatMap((run) => run.tallies);
  const select = (variant: string): Tally[] => tallies.filter(({ subject }) => subject.variant === variant);
  const [stock, patched] = [select("stock"), select("patched")];
  const beside = (count: (tally: Tally) => number, among?: (tally: Tally) => number): Figure => ({
    stock: total(stock, count),
    patched: total(patched, count),
    ...(among && { of: total(patched, among), stockOf: total(stock, among) }),
  });
  const found = (kinds: readonly FaultKind[], among: (tally: Tally) => number): Figure =>
    beside(({ found: faults }) => kinds.reduce((sum, kind) => sum + faults[kind], 0), among);
  const compute = (value: (tallies: readonly Tally[]) => number): Figure => ({
    stock: Math.round(value(stock)),
    patched: Math.round(value(patched)),
  });
  return {
    figures: {
      "conversations dead": beside(
        ({ dead }) => dead,
        ({ conversations }) => conversations,
      ),
      "messages lost": found(["message lost", "message forgotten", "stopped unread"], ({ messages }) => messages),
      "results lost": found(["result forgotten"], ({ commands }) => commands),
      "pictures lost": found(["picture lost"], ({ messages }) => messages),
      "outcomes told wrongly": found(["told wrongly", "command run twice"], ({ commands }) => commands),
      "messages without a word": found(["no word"], ({ messages }) => messages),
      "refused requests of ours": found(["rule broken"], ({ requests }) => requests),
      resets: beside(({ resets }) => resets),
      "gateway ended": beside(({ found: faults }) => faults["gateway ended"]),
      "incidents of the guard": { patched: total(patched, ({ found: faults }) => faults["incident of the guard"]) },
      messages: beside(({ messages }) => messages),
      requests: beside(({ requests }) => requests),
      "extra requests of plain messages": beside(
        ({ extraRequests }) => extraRequests,
        ({ plain }) => plain,
      ),
      "CPU, ms a message": compute(
        (all) => total(all, ({ samples }) => samples.at(-1)?.cpuMs ?? 0) / total(all, ({ messages }) => messages),
      ),
      "memory, MB at most": compute(
        (all) => Math.max(...all.flatMap(({ samples }) => samples.map(({ bytes }) => bytes))) / 2 ** 20,
      ),
      "first word, ms": compute(
        (all) => findMedian(all.flatMap(({ firstWords }) => firstWords.map(([, ms]) => ms))) ?? 0,
      ),
    },
    costs: { stock: listCosts(stock), patched: listCosts(patched) },
  };
}

function total(tallies: readonly Tally[], count: (tally: Tally) => number): number {
  return tallies.reduce((sum, tally) => sum + count(tally), 0);
}

const POINTS = 24;

/** What gateways have used, one soak behind the other, in so many steps each. */
function listCosts(tallies: readonly Tally[]): Cost[] {
  let minutes = 0;
  return tallies.flatMap(({ samples, firstWords }) => {
    const begin = minutes;
    const end = samples.at(-1)?.s ?? 0;
    minutes += end / 60;
    const step = Math.max(1, Math.ceil(samples.length / POINTS));
    return samples.flatMap((sample, at): Cost[] => {
      const before = samples[at - step];
      if (at % step !== 0 || before === undefined) return [];
      const words = firstWords.filter(([s]) => s > before.s && s <= sample.s).map(([, ms]) => ms);
      const firstWordMs = findMedian(words);
      const messages = sample.messages - before.messages;
      return [
        {
          minute: Math.round(begin + sample.s / 60),
          megabytes: Math.round(sample.bytes / 2 ** 20),
          cpuMsAMessage: Math.round((sample.cpuMs - before.cpuMs) / Math.max(1, messages)),
          ...(firstWordMs !== undefined && { firstWordMs }),
        },
      ];
    });
  });
}

function findMedian(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
