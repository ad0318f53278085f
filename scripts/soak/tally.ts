import { FAULT_KINDS, type Fault, type FaultKind } from "./judge.ts";
import type { SeenRequest } from "./model.ts";
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
  agents: number;
  killedAgents: number;
  /** How often another API than the one before was asked between the rounds of one message. */
  turnsOver: number;
  commands: number;
  found: Readonly<Record<FaultKind, number>>;
  /** Bytes of the gateway, one for each ten seconds. */
  memory: readonly number[];
}

/** Counts what was seen of a side. */
export function tallySide(side: Side, faults: readonly Fault[]): Tally {
  const { said, requests, begun } = side.seen();
  return {
    subject: side.subject,
    messages: said.length,
    notTaken: said.filter(({ run }) => run === undefined).length,
    requests: requests.length,
    faultsPlayed: side.model.faults,
    kills: side.kills,
    agents: side.model.agents,
    killedAgents: side.model.killedAgents,
    turnsOver: turnsOver(requests),
    commands: begun.size,
    found: Object.fromEntries(
      FAULT_KINDS.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]),
    ) as Record<FaultKind, number>,
    memory: [...side.memory],
  };
}

/** Counts the requests with a result of their newest message that went to another API than the request before them. */
export function turnsOver(requests: readonly SeenRequest[]): number {
  return [...Map.groupBy(requests, ({ conversation }) => conversation).values()]
    .map((own) => own.filter(({ summary }) => !summary))
    .flatMap((own) => own.slice(1).filter((request, at) => isTurnedOver(own[at]!, request))).length;
}

function isTurnedOver(before: SeenRequest, request: SeenRequest): boolean {
  const newest = findNewest(request);
  const isWithin = [...request.results].some((call) => call.startsWith(`${request.conversation}m${newest}k`));
  return isWithin && findNewest(before) === newest && before.record.api !== request.record.api;
}

function findNewest({ messages }: SeenRequest): number {
  return [...messages].reduce((newest, name) => Math.max(newest, Number(name.slice(1))), 0);
}

/**
 * The faults of the patched side that stock has not: another kind, message or conversation. Without a stock side all of
 * them.
 */
export function worseThanStock(patched: readonly Fault[], stock: readonly Fault[] | undefined): Fault[] {
  if (stock === undefined) return [...patched];
  const known = new Set(stock.map(faultKey));
  return patched.filter((fault) => !known.has(faultKey(fault)));
}

function faultKey({ kind, conversation, detail }: Fault): string {
  return `${kind} ${conversation} ${detail.split(":")[0]}`;
}
