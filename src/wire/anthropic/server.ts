/**
 * Tools that Anthropic's server runs itself: which of their calls and results the API takes, and what is made of the
 * others.
 */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { callTypeFor, SERVER_CALLS, SERVER_RESULTS } from "../../transcript/server-blocks.ts";
import { textOf } from "../../transcript/json/text.ts";
import { wordsOfCall, type ReportRule } from "../model.ts";

/** A message of a request, as far as its blocks are objects. */
export interface Said {
  role: unknown;
  content: unknown;
}

/** A block and where it stands. */
interface Placed {
  block: JsonObject;
  message: number;
  at: number;
}

/** Which calls and results of the server's stand alone, and which client's calls stand before a server's block. */
interface Findings {
  calls: Placed[];
  results: Placed[];
  early: Placed[];
}

const isCall = (block: JsonObject): boolean => SERVER_CALLS.has(block.type as string);
const isResult = (block: JsonObject): boolean => SERVER_RESULTS.has(block.type as string);

/** True for a call of the server's or its result. */
export function isServerTool(block: unknown): boolean {
  return isObject(block) && (isCall(block) || isResult(block));
}

/**
 * True when the last message ends at one of the server's tools: the turn is paused, and goes out as it is for the
 * server to go on.
 */
export function isPaused(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  return (
    isObject(last) && last.role === "assistant" && Array.isArray(last.content) && isServerTool(last.content.at(-1))
  );
}

/**
 * The ids of the server's calls that no call of the client's has too: a client's result for one of them is no result.
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

/** Reports what the API refuses of the server's tools in messages whose blocks are known. */
export function checkServerTools(messages: readonly unknown[], report: ReportRule): void {
  const { calls, results, early } = examine(messages);
  for (const { message, at } of calls) report("missing_server_result", "messages", message, "content", at);
  for (const { message, at } of results) report("unexpected_server_result", "messages", message, "content", at);
  for (const { message, at } of early) report("tool_use_order", "messages", message, "content", at);
}

/**
 * A call waits for its result through the rest of its turn and through results of the client's own tools; anything else
 * that the user says ends the wait. What still waits at the end is in flight: the server goes on with it.
 */
function examine(messages: readonly unknown[]): Findings {
  const found: Findings = { calls: [], results: [], early: [] };
  let waiting = new Map<unknown, Placed>();
  let clients: Placed[] = [];
  let role: unknown;
  const giveUp = (): void => {
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
      if (!content.every((block) => isObject(block) && block.type === "tool_result")) giveUp();
      return;
    }
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
      }
      if (isServerTool(block)) {
        for (const early of clients) found.early.push(early);
        clients = [];
      }
    });
  });
  if (role === "assistant" && !isPaused(messages)) giveUp();
  return found;
}

/**
 * The messages with a server's result behind its call, the client's calls last in their message, and in words what has
 * lost the other half; undefined where nothing is wrong. Messages in which nothing is wrong are the same objects; one
 * of which everything was moved has an empty list. What was moved can make something else wrong, so ask again; with
 * `all` there is nothing left to be wrong.
 */
export function settleServerTools(messages: readonly Said[], all = false): Said[] | undefined {
  const wrong = examine(messages);
  if (wrong.calls.length === 0 && wrong.results.length === 0 && wrong.early.length === 0) return undefined;
  const { calls, results, early } = all ? { ...everyServerTool(messages), early: [] } : wrong;
  const moves = all ? new Map<JsonObject, JsonObject>() : movesOf(calls, results);
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
      if (alone.has(block)) return [inWords(block, textOf(block))];
      const own = isCalledBy(block, goneIds) ? withoutCaller(block) : block;
      const result = moves.get(block);
      return result ? [own, result] : [own];
    });
    const clients = settled.filter(({ type }) => type === "tool_use");
    return { ...message, content: [...settled.filter(({ type }) => type !== "tool_use"), ...clients] };
  });
}

/** Every call and result of the server's, paired or not. */
function everyServerTool(messages: readonly Said[]): Pick<Findings, "calls" | "results"> {
  const placed = messages.flatMap(({ role, content }, message) =>
    role === "assistant" && Array.isArray(content)
      ? (content as JsonObject[]).map((block, at): Placed => ({ block, message, at }))
      : [],
  );
  return { calls: placed.filter(({ block }) => isCall(block)), results: placed.filter(({ block }) => isResult(block)) };
}

/**
 * For calls without a result the result that stands elsewhere; only where one id names one call and one result, so that
 * none gets another's.
 */
function movesOf(calls: readonly Placed[], results: readonly Placed[]): Map<JsonObject, JsonObject> {
  const callOf = onlyOnes(calls, ({ id }) => id);
  const resultOf = onlyOnes(results, ({ tool_use_id: id }) => id);
  const moves = new Map<JsonObject, JsonObject>();
  for (const [id, call] of callOf) {
    const result = resultOf.get(id);
    if (call && result && call.type === callTypeFor(result.type)) moves.set(call, result);
  }
  return moves;
}

/** The blocks by id; undefined for an id that several have. */
function onlyOnes(all: readonly Placed[], idOf: (block: JsonObject) => unknown): Map<unknown, JsonObject | undefined> {
  const byId = new Map<unknown, JsonObject | undefined>();
  for (const { block } of all) byId.set(idOf(block), byId.has(idOf(block)) ? undefined : block);
  return byId;
}

/** True when a call of the server's that is no longer sent made this block. */
function isCalledBy({ caller }: JsonObject, ids: ReadonlySet<unknown>): boolean {
  return isObject(caller) && ids.has(caller.tool_id);
}

function withoutCaller({ caller: _caller, ...rest }: JsonObject): JsonObject {
  return rest;
}

function inWords({ cache_control: mark }: JsonObject, text: string): JsonObject {
  return { type: "text", text, ...(mark === undefined ? {} : { cache_control: mark }) };
}
