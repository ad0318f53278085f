import { hash } from "node:crypto";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { addAll } from "../../transcript/json/list.ts";
import { toLooseId } from "../../transcript/pairing.ts";
import { idKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "../../transcript/read.ts";
import type { Repair } from "../../transcript/repair.ts";
import { isPreparedFrom, prepare, type PrepareOptions } from "../../wire/prepare.ts";

/** A repair that wrote more than this is not remembered: a gateway has hundreds of sessions. */
const MAX_WRITTEN = 64;
const MAX_WRITTEN_LENGTH = 256 * 1024;
/** Nor is one whose repairs are longer, each with {@link REPAIR_LENGTH} and its id: a foreign program makes the ids. */
const MAX_REPAIRS_LENGTH = 1024 * 1024;
/** What a repair takes beside its id. */
const REPAIR_LENGTH = 64;

/** How a history was repaired. */
interface KnownRepair {
  readonly api: string;
  /** How many messages the history had, and the hash of their JSON. */
  readonly count: number;
  readonly digest: string;
  /**
   * How the repaired history is made: for each of its messages the index in the given one, or the JSON of one that was
   * written.
   */
  readonly recipe: readonly (number | string)[];
  /** What {@link prepare} passed to `onRepairs`, a list for each time that it was called. */
  readonly repairs: readonly Repair[][];
}

/**
 * Caches how the stored history of one session was repaired. While the repair is not stored, the next load has the same
 * messages and some behind them: only those are prepared then. Only the last repair is kept; of its messages only those
 * that the repair wrote. Must return what {@link prepare} would: where that is not certain (see {@link isPreparedFrom},
 * a shared id, a background call), nothing is taken from the cache.
 */
export class RepairMemo {
  #known: KnownRepair | undefined;

  /** Returns what {@link prepare} returns, message by message. The list of an earlier load is known by its content. */
  prepare(api: string, messages: unknown[], { onRepairs }: PrepareOptions = {}): unknown[] {
    const again = this.#replayed(api, messages);
    if (again) {
      for (const repairs of this.#known!.repairs) onRepairs?.([...repairs]);
      return again;
    }
    const repairs: Repair[][] = [];
    const prepared = prepare(api, messages, { onRepairs: (some) => repairs.push(some) });
    for (const some of repairs) onRepairs?.(some);
    if (prepared !== messages && !hasBackgroundCall(messages))
      this.#known = makeKnown(api, messages, prepared, repairs);
    return prepared;
  }

  /** Returns the history with the known repair; undefined where it does not begin with the known messages. */
  #replayed(api: string, messages: readonly unknown[]): unknown[] | undefined {
    const known = this.#known;
    if (!known || known.api !== api || messages.length < known.count) return undefined;
    const beginning = messages.slice(0, known.count);
    if (hashMessages(beginning) !== known.digest) {
      // Something else is stored now, perhaps the repaired history.
      this.#known = undefined;
      return undefined;
    }
    const repaired = known.recipe.map((from): unknown =>
      typeof from === "number" ? messages[from] : JSON.parse(from),
    );
    const end = repaired.length;
    const added = messages.slice(known.count);
    if (hasBackgroundCall(added)) return undefined;
    // What comes behind may be paired with what was repaired, or with what the repair has taken out.
    const ids = collectIds(added);
    if (ids.size > 0 && (sharesAny(ids, collectIds(beginning)) || sharesAny(ids, collectIds(repaired))))
      return undefined;
    addAll(repaired, added);
    return isPreparedFrom(api, repaired, end) ? repaired : undefined;
  }
}

function makeKnown(
  api: string,
  messages: readonly unknown[],
  prepared: readonly unknown[],
  repairs: readonly Repair[][],
): KnownRepair | undefined {
  const places = new Map(messages.map((message, at) => [message, at]));
  let left = MAX_WRITTEN_LENGTH;
  let written = 0;
  const recipe: (number | string)[] = [];
  for (const message of prepared) {
    const place = places.get(message);
    const from = place ?? tryStringify(message);
    if (from === undefined) return undefined;
    if (typeof from === "string" && (++written > MAX_WRITTEN || (left -= from.length) < 0)) return undefined;
    recipe.push(from);
  }
  if (recipe.length === 0 || repairsLength(repairs) > MAX_REPAIRS_LENGTH) return undefined;
  const digest = hashMessages(messages);
  if (digest === undefined) return undefined;
  return { api, count: messages.length, digest, recipe, repairs };
}

function repairsLength(repairs: readonly Repair[][]): number {
  let length = 0;
  for (const some of repairs) for (const { id } of some) length += REPAIR_LENGTH + id.length;
  return length;
}

function tryStringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // It is no JSON, or too deep.
    return undefined;
  }
}

function hashMessages(messages: readonly unknown[]): string | undefined {
  const json = tryStringify(messages);
  return json === undefined ? undefined : hash("sha256", json);
}

/**
 * Returns the ids of all calls and results in any spelling, in the form in which they are compared. A call or result
 * without one is paired only within its turn, and every message with calls begins another turn.
 */
function collectIds(messages: readonly unknown[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (!isObject(message)) continue;
    if (isResultRole(message.role)) ids.add(pairingKey(readResult(message).id));
    for (const block of [...blocksIn(message.content), ...blocksIn(message.tool_calls)]) {
      if (isCallBlock(block)) ids.add(pairingKey(readCall(block).id));
      else if (isResultBlock(block)) ids.add(pairingKey(readResult(block).id));
      // A call in a spelling that is not known, perhaps: an id too many only costs a repair.
      else ids.add(pairingKey((block as JsonObject).id));
    }
  }
  ids.delete("");
  return ids;
}

/** A background call changes which call the results of other messages answer. */
function hasBackgroundCall(messages: readonly unknown[]): boolean {
  return messages.some(
    (message) => isObject(message) && blocksIn(message.content).some((block) => block.async === true),
  );
}

/** Returns what is compared of an id: its letters and digits; of an id without any, all of it. */
function pairingKey(id: unknown): string {
  return toLooseId(id) || idKey(id).trim();
}

function sharesAny(few: ReadonlySet<string>, many: ReadonlySet<string>): boolean {
  for (const id of few) if (many.has(id)) return true;
  return false;
}

function blocksIn(content: unknown): JsonObject[] {
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}
