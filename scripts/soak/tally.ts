import { FAULT_KINDS, type Fault, type FaultKind } from "./judge.ts";
import type { Side, Subject } from "./side.ts";

/** What became of a side. */
export interface Tally {
  subject: Subject;
  messages: number;
  /** Messages that the gateway has not acknowledged. */
  notTaken: number;
  requests: number;
  /** What the provider has done wrong. */
  faultsPlayed: number;
  kills: number;
  commands: number;
  found: Readonly<Record<FaultKind, number>>;
  /** Bytes of the gateway, one for each ten seconds. */
  memory: readonly number[];
}

/** Counts what was seen of a side. */
export function tallyOf(side: Side, faults: readonly Fault[]): Tally {
  const { said, requests, begun } = side.seen();
  return {
    subject: side.subject,
    messages: said.length,
    notTaken: said.filter(({ run }) => run === undefined).length,
    requests: requests.length,
    faultsPlayed: side.model.faults,
    kills: side.kills,
    commands: begun.size,
    found: Object.fromEntries(
      FAULT_KINDS.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]),
    ) as Record<FaultKind, number>,
    memory: [...side.memory],
  };
}

/**
 * The faults of the patched side that stock has not: another kind, message or conversation. Without a stock side all of
 * them.
 */
export function worseThanStock(patched: readonly Fault[], stock: readonly Fault[] | undefined): Fault[] {
  if (stock === undefined) return [...patched];
  const known = new Set(stock.map(keyOf));
  return patched.filter((fault) => !known.has(keyOf(fault)));
}

function keyOf({ kind, conversation, detail }: Fault): string {
  return `${kind} ${conversation} ${detail.split(":")[0]}`;
}
