import { markdownTable } from "../../fuzz/table.ts";
import type { Crowd } from "./crowd.ts";
import { type EngineComparison, engineRows, engineVerdicts } from "./dbos.ts";
import type { Hot } from "./hot.ts";
import type { Pair } from "./pairs.ts";
import { ms, said } from "../report.ts";
import { describeMaking } from "../../measured/making.ts";

/** What was aimed at: times of the bare statement; times of the short workflow. */
const AIM = 1.5;
const LONG_AIM = 1.2;

/** What the continuity kernel costs. */
export interface ContinuityCosts {
  readonly appends: readonly Pair[];
  /** In twos: against a bare SELECT, and against a SELECT whose rows are parsed and hashed. */
  readonly restores: readonly Pair[];
  /** With many finished tasks against few. */
  readonly finished: readonly Pair[];
  readonly longs: readonly Pair[];
  readonly crowds: readonly Crowd[];
  readonly engines: EngineComparison;
  readonly hots: readonly Hot[];
}

/** Pairs as rows of a table, its head first. */
export function pairRows(pairs: readonly Pair[], other: string): string[][] {
  return [
    ["store", "what", "ms", `${other}, ms`, "times", "middle half of the pairs"],
    ...pairs.map(({ store, name, ms: own, bareMs, ratio, spread }) => [
      store,
      name,
      ms(own),
      ms(bareMs),
      ratio.toFixed(2),
      `${spread[0].toFixed(2)}–${spread[1].toFixed(2)}`,
    ]),
  ];
}

/** The crowds as rows of a table, its head first. */
export function crowdRows(crowds: readonly Crowd[]): string[][] {
  return [
    ["workflows at once", "connections", "", "per second", "half are done in, ms", "99 in a hundred, ms"],
    ...crowds.flatMap(({ workflows, connections, pair, latency, bareLatency }) => [
      [
        String(workflows),
        String(connections),
        "update_checkpoint",
        perSecond(pair.ms),
        ...latency.map((one) => one.toFixed(1)),
      ],
      [
        String(workflows),
        String(connections),
        "bare INSERT",
        perSecond(pair.bareMs),
        ...bareLatency.map((one) => one.toFixed(1)),
      ],
    ]),
  ];
}

/** The writers of one project as rows of a table, its head first. */
export function hotRows(hots: readonly Hot[]): string[][] {
  return [
    ["writers of one project", "commands per second in all", "fewest and most of a writer", "slowest, ms"],
    ...hots.map(({ writers, perSecond: all, fewest, most, slowestMs }) => [
      String(writers),
      Math.round(all).toLocaleString("en-US"),
      `${fewest}–${most}`,
      slowestMs.toFixed(0),
    ]),
  ];
}

function perSecond(milliseconds: number): string {
  return Math.round(1000 / milliseconds).toLocaleString("en-US");
}

/** Whether each aim was reached, in words. */
export function continuityVerdicts(costs: ContinuityCosts): string[] {
  const { appends, restores, finished, longs, crowds, engines } = costs;
  const [bare, hashed] = [restores.filter((_, at) => at % 2 === 0), restores.filter((_, at) => at % 2 === 1)];
  return [
    verdict(`append under ${AIM} times a bare INSERT`, appends, AIM),
    verdict(`restore under ${AIM} times a bare SELECT of the same rows`, bare, AIM),
    verdict(`restore under ${AIM} times a SELECT, JSON.parse and SHA-256 of the same rows`, hashed, AIM),
    ...appends.map(
      ({ store, ms: own, bareMs }) => `on ${store} an append takes ${ms(own - bareMs)} ms more than the bare INSERT`,
    ),
    verdict(`append with many finished tasks under ${LONG_AIM} times one with 20`, finished, LONG_AIM),
    ...(longs.length === 0
      ? []
      : [verdict("restore of the long workflow in the time of one with 200 events", longs, LONG_AIM)]),
    ...crowds.map(
      ({ workflows, pair }) =>
        `${workflows} workflows at once: ${pair.ratio.toFixed(2)} times the time of as many bare INSERTs`,
    ),
    ...engineVerdicts(engines),
  ];
}

function verdict(what: string, pairs: readonly Pair[], aim: number): string {
  return `${what}: ${said(pairs.every(({ ratio }) => ratio < aim))} (${pairs.map(({ store, ratio }) => `${store} ${ratio.toFixed(2)}`).join(", ")} times)`;
}

/** The report of a whole run. */
export function formatContinuityReport(command: string, costs: ContinuityCosts): string {
  const { appends, restores, finished, longs, crowds, engines } = costs;
  return `# What the continuity kernel costs

${describeMaking(command)}

${continuityVerdicts(costs)
  .map((line) => `- ${line}`)
  .join("\n")}

Each pair is measured turn and turn about in one process, on real files and a PostgreSQL of its own that syncs every commit; medians, and the median of the ratios of
neighbouring rounds.

## Append

One command from its input to the acknowledgement (the input checked, the state's delta and checksums made, the ledger's head moved, the event written; every 50th with a snapshot),
against an INSERT of a row of the same size into the same table of another file or schema, prepared once, on a connection of its own.

${markdownTable(pairRows(appends, "bare INSERT"))}

## Finished tasks

The same command in a workflow with many finished tasks and in one with 20, on SQLite.

${markdownTable(pairRows(finished, "20 finished"))}

## Restore

The workflow's row, the latest snapshot, its event and the events behind it, every checksum and link checked and the deltas applied; against the same four SELECTs with nothing done with what
they give. The second line of each pair stands against the same SELECTs whose texts are parsed, brought into canonical form and hashed: what cannot be left out by whoever checks them.

${markdownTable(pairRows(restores, "the other"))}
${
  longs.length === 0
    ? ""
    : `
## A long workflow

Every event is whole: made by the kernel's own commands, deltas and checksums, the last 75 written by the kernel itself.

${markdownTable(pairRows(longs, "200 events"))}
`
}${
    crowds.length === 0
      ? ""
      : `
## Many workflows at once

One process, one PostgreSQL; each workflow has 20 tasks and appends one command after the other.

${markdownTable(crowdRows(crowds))}

## Many writers of one project

Each writer is a process that writes one command after the other; all write to one project, whose commands stand one behind the other. So the figure falls: with one writer a command is one
request; a change of the writer costs the wait for a lock, two requests and the sync of a commit, and each writer first checks and applies what all others wrote meanwhile.

${markdownTable(hotRows(costs.hots))}
`
  }${
    engines.pairs.length === 0
      ? ""
      : `
## Steps against DBOS Transact

One step after the other in one process, on the same server: \`runStep\` under a lease against \`DBOS.runStep\` in a workflow. The kernel commits twice, the begin and the result; DBOS
once, the result. For the second commit one knows after a crash that the step had begun, with its input and key, and a non_idempotent step is not run again unseen.

${markdownTable(engineRows(engines))}
`
  }`;
}
