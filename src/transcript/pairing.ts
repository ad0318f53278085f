import { groupBy } from "../base/group-by.ts";
import {
  idKey,
  isCallBlock,
  isCutOff,
  isFailedTurn,
  isResultBlock,
  isUsableId,
  readCall,
  readResult,
  type ResultFields,
} from "./read.ts";
import { originOfResult, type ResultOrigin } from "./invented.ts";
import { type Copies, findCopies } from "./copies.ts";
import type { JsonObject } from "./json/json.ts";
import type { Message } from "./look.ts";

/** A call or result as it was read, and its place in a list of messages. */
interface Reading {
  /** Index of its message. */
  message: number;
  /** Index of its block; -1 when the message itself is the result. */
  block: number;
  /** How many assistant messages with calls there are up to here. */
  turn: number;
  /** The block, or the message that is the result. */
  source: JsonObject;
  id: unknown;
}

/** A tool call in a list of messages. */
export interface CallRef extends Reading {
  name: string;
  /** The call was cut off while it was streamed. */
  partial: boolean;
  /** The call's turn failed. */
  failed: boolean;
  /** All results that belong to the call, in their order in the list. */
  results: ResultRef[];
}

/** A tool result in a list of messages. */
export interface ResultRef extends Reading {
  name: unknown;
  /** Who wrote the result. */
  origin: ResultOrigin;
  call?: CallRef;
}

/** Which result belongs to which call. */
export interface Pairing {
  calls: CallRef[];
  /** Results without a call, in their order in the list. */
  orphans: ResultRef[];
  /** The messages that are results of background calls, which OpenClaw itself keeps track of. */
  background: ReadonlySet<number>;
  /** What is stored once more; `calls` has none of it. */
  copies: Copies;
}

/**
 * Finds for every result the call it answers. Shapely messages in, any spelling. Linear in the number of blocks.
 *
 * By occurrence, in order: where an id is used again, a result answers the latest calls that are still open, in their
 * order. A result before its call is given to the next call of its id. Ids that differ only in what OpenClaw's id
 * sanitisers change (`call_1|fc_1`, `functions.exec:0`) match when nothing matches exactly; results and calls without a
 * usable id match only inside the same turn, and only when there is one candidate.
 */
export function pair(messages: readonly Message[]): Pairing {
  const { calls: all, results, background } = collect(messages);
  const copies = findCopies(messages, all, results);
  const calls = copies.size === 0 ? all : all.filter(({ message, block }) => !copies.get(message)?.has(block));
  const unmatched = matchByKey(calls, results, exactKey);
  const open = calls.filter((call) => call.results.length === 0);
  const stillUnmatched = open.length > 0 && unmatched.length > 0 ? matchByKey(open, unmatched, looseKey) : unmatched;
  const orphans = stillUnmatched.length > 0 ? matchInTurn(calls, stillUnmatched) : stillUnmatched;
  return { calls, orphans, background, copies };
}

/** Reads all calls and results in order. */
function collect(messages: readonly Message[]): Pick<Pairing, "calls" | "background"> & { results: ResultRef[] } {
  const calls: CallRef[] = [];
  const results: ResultRef[] = [];
  // Results of background calls come whenever these are done.
  const ids = new Set<unknown>();
  const background = new Set<number>();
  // How many other calls of an id have no result yet: a result answers these first.
  const open = new Map<unknown, number>();
  let turn = 0;
  const addResult = (source: JsonObject, message: number, block: number, { id, name }: ResultFields): void =>
    void results.push({ message, block, turn, source, id, name, origin: originOfResult(source) });
  messages.forEach((message, index) => {
    const { role, content } = message;
    if (role === "toolResult") {
      const fields = readResult(message);
      const waiting = open.get(fields.id) ?? 0;
      if (waiting > 0) open.set(fields.id, waiting - 1);
      else if (ids.has(fields.id)) {
        background.add(index);
        return;
      }
      addResult(message, index, -1, fields);
      return;
    }
    if (!Array.isArray(content)) return;
    let first = true;
    content.forEach((block: unknown, at) => {
      if (role === "user" && isResultBlock(block)) addResult(block, index, at, readResult(block));
      if (role !== "assistant" || !isCallBlock(block)) return;
      if (first) turn++;
      first = false;
      const { id, name } = readCall(block);
      if (block.async === true) {
        ids.add(id);
        return;
      }
      open.set(id, (open.get(id) ?? 0) + 1);
      calls.push({
        message: index,
        block: at,
        turn,
        source: block,
        id,
        name: typeof name === "string" ? name : "unknown_tool",
        partial: isCutOff(block),
        failed: isFailedTurn(message),
        results: [],
      });
    });
  });
  return { calls, results, background };
}

type KeyOf = (reading: Reading) => string;

/** The unchanged id; without one, the number of the turn, so that such results cannot be matched in another turn. */
const exactKey: KeyOf = ({ id, turn }) => {
  const key = idKey(id);
  return key.trim() === "" ? `\u0000${turn}` : key;
};

/** Returns the part of an id that OpenClaw's sanitisers do not change; `""` where there is none. */
export function toLooseId(id: unknown): string {
  return idKey(id)
    .split("|", 1)[0]!
    .replace(/[^a-zA-Z0-9]/g, "");
}

const looseKey: KeyOf = ({ id, turn }) => toLooseId(id) || `\u0000${turn}`;

/** Matches by one kind of key; returns the results without a call. */
function matchByKey(calls: readonly CallRef[], results: readonly ResultRef[], toKey: KeyOf): ResultRef[] {
  const inOrder = [...calls, ...results].toSorted((a, b) => a.message - b.message);
  for (const group of groupBy(inOrder, toKey).values()) matchGroup(group);
  return results.filter((result) => !result.call);
}

function isCall(ref: CallRef | ResultRef): ref is CallRef {
  return "results" in ref;
}

function answer(call: CallRef, result: ResultRef): void {
  call.results.push(result);
  result.call = call;
}

/** Matches calls and results of one id, in order: see {@link pair}. */
function matchGroup(group: readonly (CallRef | ResultRef)[]): void {
  const open: CallRef[] = [];
  let last: CallRef | undefined;
  const early: ResultRef[] = [];
  for (let at = 0; at < group.length;) {
    const ref = group[at]!;
    if (isCall(ref)) {
      open.push(ref);
      at++;
      continue;
    }
    const run: ResultRef[] = [];
    for (let next = group[at]; next && !isCall(next); next = group[++at]) run.push(next);
    const answered = open.splice(Math.max(0, open.length - run.length));
    run.forEach((result, index) => {
      // More results than open calls: the rest are further results of the last call of this id.
      const call = answered[index] ?? answered.at(-1) ?? last;
      if (call) answer(call, result);
      else early.push(result);
    });
    last = answered.at(-1) ?? last;
  }
  // Results before the first call of their id.
  const waiting = group.filter((ref): ref is CallRef => isCall(ref) && ref.results.length === 0);
  const first = group.find(isCall);
  early.forEach((result, index) => {
    const call = waiting[index] ?? first;
    if (call) answer(call, result);
  });
}

/**
 * Matches results without usable ids: one open call and one result of the same tool in the same turn belong together.
 * Returns the results without a call.
 */
function matchInTurn(calls: readonly CallRef[], results: readonly ResultRef[]): ResultRef[] {
  const open = groupBy(
    calls.filter((call) => call.results.length === 0),
    ({ turn }) => turn,
  );
  const inTurn = groupBy(results, ({ turn }) => turn);
  return results.filter((result) => {
    const [call, another] = open.get(result.turn) ?? [];
    if (!call || another || inTurn.get(result.turn)!.length > 1) return true;
    const sameTool = result.name === undefined || result.name === "" || result.name === call.name;
    if (!sameTool || (isUsableId(result.id) && isUsableId(call.id))) return true;
    answer(call, result);
    return false;
  });
}

/** Returns the result that is sent for a call: the first real one, else the first doubtful one, else the first. */
export function chosenResult({ results }: CallRef): ResultRef | undefined {
  return (
    results.find(({ origin }) => origin === "real") ?? results.find(({ origin }) => origin === "doubtful") ?? results[0]
  );
}

/** True for a call that is not sent as a call: truncated or of a failed turn, and without a real result. */
export function isDeadCall(call: CallRef): boolean {
  return (call.partial || call.failed) && !call.results.some(({ origin }) => origin === "real");
}

/** True for a call that is not sent as a call, but has a result that a tool may have returned. */
export function isDoubtful(call: CallRef): boolean {
  return isDeadCall(call) && call.results.some(({ origin }) => origin === "doubtful");
}
