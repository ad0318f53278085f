/**
 * Tools that Anthropic's server runs itself: which of their calls and results the API accepts, and how the others are
 * repaired.
 */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { callTypeFor, SERVER_CALLS, SERVER_RESULTS } from "../../transcript/block-types.ts";
import { readText } from "../../transcript/json/text.ts";
import { wordsOfCall, type ReportRule } from "../model.ts";

/** A message of a request. */
export interface SentMessage {
  role: unknown;
  content: unknown;
}

/** A block and its place. */
interface Placed {
  block: JsonObject;
  message: number;
  at: number;
}

/** Server calls without a result, server results without a call, and client calls before what must not follow them. */
interface Findings {
  calls: Placed[];
  results: Placed[];
  early: Placed[];
}

const isCall = (block: JsonObject): boolean => SERVER_CALLS.has(block.type as string);
const isResult = (block: JsonObject): boolean => SERVER_RESULTS.has(block.type as string);

/** True for a call of a server tool or its result. */
export function isServerTool(block: unknown): boolean {
  return isObject(block) && (isCall(block) || isResult(block));
}

/**
 * True when the last message ends with a block of a server tool: the turn is paused, and is sent as it is, so that the
 * server continues it.
 */
export function isPaused(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  return (
    isObject(last) && last.role === "assistant" && Array.isArray(last.content) && isServerTool(last.content.at(-1))
  );
}

/**
 * Returns the ids of server calls that no client call has too. A client's result for such an id is no valid result.
 */
export function idsOfServer(messages: readonly unknown[]): Set<unknown> {
  const ids = new Set<unknown>();
  const clients = new Set<unknown>();
  for (const message of messages) {
    if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.content)) continue;
    for (const block of message.content as unknown[]) {
      if (!isObject(block)) continue;
      if (isCall(block)) ids.add(block.id);
      else if (block.type === "tool_use") clients.add(block.id);
    }
  }
  for (const id of [undefined, ...clients]) ids.delete(id);
  return ids;
}

/** Reports the violations of server tools, and of the order of calls, in messages whose blocks are all known. */
export function checkServerTools(messages: readonly unknown[], callsEnd: boolean, report: ReportRule): void {
  const { calls, results, early } = examine(messages, callsEnd);
  for (const { message, at } of calls) report("missing_server_result", "messages", message, "content", at);
  for (const { message, at } of results) report("unexpected_server_result", "messages", message, "content", at);
  for (const { message, at } of early) report("tool_use_order", "messages", message, "content", at);
}

/**
 * Finds the violations of server tools. A call may get its result in the rest of its turn, and behind results of the
 * client's tools; any other content of the user ends that. In a paused turn at the end, open calls are no violation:
 * the server continues them. With `callsEnd` no text may follow a client's call in its message.
 */
function examine(messages: readonly unknown[], callsEnd: boolean): Findings {
  const found: Findings = { calls: [], results: [], early: [] };
  let waiting = new Map<unknown, Placed>();
  let clients: Placed[] = [];
  let role: unknown;
  const abandonWaiting = (): void => {
    if (waiting.size === 0) return;
    for (const call of waiting.values()) found.calls.push(call);
    waiting = new Map();
  };
  messages.forEach((message, index) => {
    if (!isObject(message)) return;
    if (message.role !== role) clients = [];
    role = message.role;
    const content: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
    if (role !== "assistant") {
      if (!content.every((block) => isObject(block) && block.type === "tool_result")) abandonWaiting();
      return;
    }
    /** Where the calls of this message begin. */
    let own = clients.length;
    content.forEach((block, at) => {
      if (!isObject(block)) return;
      const placed = { block, message: index, at };
      if (block.type === "tool_use") clients.push(placed);
      else if (isCall(block)) {
        if (waiting.has(block.id)) found.calls.push(placed);
        else waiting.set(block.id, placed);
      } else if (isResult(block)) {
        if (waiting.get(block.tool_use_id)?.block.type === callTypeFor(block.type)) waiting.delete(block.tool_use_id);
        else found.results.push(placed);
      } else {
        // It may be a result of a type that is not known here.
        waiting.delete(block.tool_use_id);
      }
      if (isServerTool(block)) {
        for (const early of clients) found.early.push(early);
        clients = [];
        own = 0;
      } else if (callsEnd && block.type === "text")
        // Of text in another message nothing is known.
        for (const early of clients.splice(own)) found.early.push(early);
    });
  });
  if (role === "assistant" && !isPaused(messages)) abandonWaiting();
  return found;
}

/**
 * Moves each server result behind its call and the client's calls to the end of their message, and turns server calls
 * and results without the other half into text. Returns undefined where there is no violation. Messages without one
 * stay the same objects; a message whose blocks were all moved away has an empty list. A change can cause another
 * violation, hence this is to be repeated; with `all`, every server call and result becomes text, so that none can
 * remain.
 */
export function settleServerTools(
  messages: readonly SentMessage[],
  callsEnd: boolean,
  all = false,
): SentMessage[] | undefined {
  const wrong = examine(messages, callsEnd);
  if (wrong.calls.length === 0 && wrong.results.length === 0 && wrong.early.length === 0) return undefined;
  const { calls, results, early } = all ? { ...everyServerTool(messages), early: wrong.early } : wrong;
  const moves = all ? new Map<JsonObject, JsonObject>() : planMoves(calls, results);
  const moved = new Set(moves.values());
  const gone = new Set(calls.filter(({ block }) => !moves.has(block)).map(({ block }) => block));
  const alone = new Set(results.map(({ block }) => block));
  const goneIds = new Set([...gone].map(({ id }) => id));
  const changed = new Set([...calls, ...results, ...early].map(({ message }) => message));
  return messages.map((message, index) => {
    if (message.role !== "assistant" || !Array.isArray(message.content)) return message;
    const blocks = message.content as JsonObject[];
    if (!changed.has(index) && !blocks.some((block) => isCalledBy(block, goneIds))) return message;
    const settled = blocks.flatMap((block): JsonObject[] => {
      if (moved.has(block)) return [];
      if (gone.has(block)) return [inWords(block, wordsOfCall(String(block.name), block.input))];
      if (alone.has(block)) return [inWords(block, readText(block))];
      const own = isCalledBy(block, goneIds) ? withoutCaller(block) : block;
      const result = moves.get(block);
      return result ? [own, result] : [own];
    });
    const clients = settled.filter(({ type }) => type === "tool_use");
    return { ...message, content: [...settled.filter(({ type }) => type !== "tool_use"), ...clients] };
  });
}

/** Returns every call and result of server tools, paired or not. */
function everyServerTool(messages: readonly SentMessage[]): Pick<Findings, "calls" | "results"> {
  const placed = messages.flatMap(({ role, content }, message) =>
    role === "assistant" && Array.isArray(content)
      ? (content as JsonObject[]).map((block, at): Placed => ({ block, message, at }))
      : [],
  );
  return { calls: placed.filter(({ block }) => isCall(block)), results: placed.filter(({ block }) => isResult(block)) };
}

/**
 * Returns for calls without a result the result elsewhere in the history; only where the id belongs to exactly one call
 * and one result, so that no call gets the result of another.
 */
function planMoves(calls: readonly Placed[], results: readonly Placed[]): Map<JsonObject, JsonObject> {
  const callOf = onlyOnes(calls, ({ id }) => id);
  const resultOf = onlyOnes(results, ({ tool_use_id: id }) => id);
  const moves = new Map<JsonObject, JsonObject>();
  for (const [id, call] of callOf) {
    const result = resultOf.get(id);
    if (call && result && call.type === callTypeFor(result.type)) moves.set(call, result);
  }
  return moves;
}

/** Returns the blocks by id; undefined for an id that several blocks have. */
function onlyOnes(
  all: readonly Placed[],
  readId: (block: JsonObject) => unknown,
): Map<unknown, JsonObject | undefined> {
  const byId = new Map<unknown, JsonObject | undefined>();
  for (const { block } of all) byId.set(readId(block), byId.has(readId(block)) ? undefined : block);
  return byId;
}

/** True for a block that was made by a server call which is no longer sent. */
function isCalledBy({ caller }: JsonObject, ids: ReadonlySet<unknown>): boolean {
  return isObject(caller) && ids.has(caller.tool_id);
}

function withoutCaller({ caller: _caller, ...rest }: JsonObject): JsonObject {
  return rest;
}

function inWords({ cache_control: mark }: JsonObject, text: string): JsonObject {
  return { type: "text", text, ...(mark === undefined ? {} : { cache_control: mark }) };
}
