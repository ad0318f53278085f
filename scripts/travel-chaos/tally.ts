import { AREAS, type Area } from "./plan.ts";
import type { Finding } from "./finding.ts";
import type { Outcome } from "./play.ts";

/** What became of the kills of one area. */
export interface Row {
  kills: number;
  moved: number;
  answered: number;
  /** Kills right after which OpenClaw's index waited to be rebuilt. */
  dirty: number;
  stock: number;
  stockAnswered: number;
  gateway: number;
  gatewayAnswered: number;
}

/** What became of all kills of one release. */
export interface Tally {
  readonly release: string;
  readonly rows: ReadonlyMap<Area, Row>;
  /** Turns that were over before their kill came; they were killed behind their end. */
  tooLate: number;
  /** Whether this release keeps an index of a session. */
  hasIndex: boolean;
  readonly findings: Finding[];
  /** What the unpatched OpenClaw said when it did not answer, and how often. */
  readonly stockErrors: Map<string, number>;
}

/** The tally of a release that nothing has been done to. */
export function emptyTally(release: string): Tally {
  return {
    release,
    rows: new Map(AREAS.map((area) => [area, emptyRow()])),
    tooLate: 0,
    hasIndex: false,
    findings: [],
    stockErrors: new Map(),
  };
}

function emptyRow(): Row {
  return { kills: 0, moved: 0, answered: 0, dirty: 0, stock: 0, stockAnswered: 0, gateway: 0, gatewayAnswered: 0 };
}

/** Adds what became of a kill. */
export function addTo(tally: Tally, { kill, isKilled, moved, needsRebuild, findings, stock, gateway }: Outcome): void {
  const row = tally.rows.get(kill.area)!;
  row.kills++;
  if (!isKilled) tally.tooLate++;
  if (moved) row.moved++;
  if (!findings.some(({ rule }) => rule === "answered")) row.answered++;
  if (needsRebuild !== undefined) tally.hasIndex = true;
  if (needsRebuild === true) row.dirty++;
  if (stock) {
    row.stock++;
    if (stock.answered) row.stockAnswered++;
    else {
      const error = (stock.error ?? "no reason").split("\n", 1)[0]!;
      tally.stockErrors.set(error, (tally.stockErrors.get(error) ?? 0) + 1);
    }
  }
  if (gateway) {
    row.gateway++;
    if (gateway.said.every(({ answered }) => answered)) row.gatewayAnswered++;
  }
  tally.findings.push(...findings, ...(gateway?.findings ?? []));
}

/** All areas together. */
export function sumRows({ rows }: Tally): Row {
  const sum = emptyRow();
  for (const row of rows.values()) for (const key of Object.keys(sum) as (keyof Row)[]) sum[key] += row[key];
  return sum;
}
