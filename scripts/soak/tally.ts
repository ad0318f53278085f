import { FAULT_KINDS, type Fault, type FaultKind } from "./judge.ts";
import type { SeenRequest } from "./model.ts";
import type { Said } from "./said.ts";
import { isOnChannel, type Sample, type Side, type Subject } from "./side.ts";

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
  /** How often the disk was full, an operator has taken a message back, and a person has written over a channel. */
  fills: number;
  rewinds: number;
  overChannel: number;
  agents: number;
  killedAgents: number;
  /** How often another API than the one before was asked between the rounds of one message. */
  turnsOver: number;
  commands: number;
  found: Readonly<Record<FaultKind, number>>;
  conversations: number;
  /** Conversations whose last message, with nothing in its way, the model has not answered. */
  dead: number;
  /** How often OpenClaw has begun a conversation anew. */
  resets: number;
  /** Messages with nothing beside them, and the requests that were made of them beyond what they need. */
  plain: number;
  extraRequests: number;
  /** What the gateway has used, one for each ten seconds. */
  samples: readonly Sample[];
  /** Of each plain message: when it was sent in seconds, and milliseconds to the first word. */
  firstWords: readonly (readonly [s: number, ms: number])[];
}

/** Counts what was seen of a side. */
export function tallySide(side: Side, faults: readonly Fault[]): Tally {
  const { said, requests, begun, isAnswered } = side.seen();
  const last = new Map(said.map((one) => [one.conversation, one.message.name]));
  const plain = said.filter((one) => one.plain);
  return {
    subject: side.subject,
    messages: said.length,
    notTaken: said.filter(({ run }) => run === undefined).length,
    requests: requests.length,
    faultsPlayed: side.model.faults,
    kills: side.kills,
    fills: side.fills,
    rewinds: side.rewinds,
    overChannel: said.filter(({ conversation }) => isOnChannel(conversation)).length,
    agents: side.model.agents,
    killedAgents: side.model.killedAgents,
    turnsOver: turnsOver(requests),
    commands: begun.size,
    found: Object.fromEntries(
      FAULT_KINDS.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]),
    ) as Record<FaultKind, number>,
    conversations: last.size,
    dead: [...last].filter(([conversation, name]) => !isAnswered(conversation, name)).length,
    resets: [...side.sessions.values()].reduce((sum, ids) => sum + ids.size - 1, 0),
    plain: plain.length,
    extraRequests: extraRequests(plain, requests),
    samples: [...side.samples],
    firstWords: plain.flatMap(({ at, firstMs }) => (firstMs === undefined ? [] : [[Math.round(at / 1000), firstMs]])),
  };
}

/** Counts the requests of these messages beyond one for each round, one for the answer, and one that starts a sub-agent. */
export function extraRequests(said: readonly Said[], requests: readonly SeenRequest[]): number {
  const made = Map.groupBy(
    requests.filter(({ summary }) => !summary),
    (request) => `${request.conversation} m${findNewest(request)}`,
  );
  return said.reduce((sum, { conversation, message: { name, rounds, spawns } }) => {
    const needed = rounds.length + 1 + (spawns === true ? 2 : 0);
    return sum + Math.max(0, (made.get(`${conversation} ${name}`)?.length ?? 0) - needed);
  }, 0);
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
