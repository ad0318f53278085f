import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isCallBlock, isResultBlock, isResultRole, isUsableId, readCall, readResult } from "../../transcript/read.ts";
import { originOfResult } from "../../transcript/invented.ts";
import { integrityError } from "../base/errors.ts";
import type { AssistantMessage, CycleCall } from "../base/types.ts";

/** One call of a cycle, in either format. */
export interface Call {
  id: string;
  name: string;
  input: unknown;
}

/**
 * Returns the calls of a cycle in their order. Throws an IntegrityError `bad-call` when there is none, or one that
 * cannot be stored.
 */
export function callsIn(cycle: CycleCall): Call[] {
  const calls = blocksIn(cycle).filter(isCallBlock).map(readCall);
  const found = calls.length === 0 ? "none" : undefined;
  const ids = new Set<unknown>();
  for (const { id, name } of calls) {
    if (isUsableId(id) && typeof name === "string" && name !== "" && !ids.has(id)) ids.add(id);
    else
      throw badCall(
        `a call with the id ${JSON.stringify(id)} and the name ${JSON.stringify(name)}${ids.has(id) ? ", an id that occurs twice" : ""}`,
      );
  }
  if (found !== undefined) throw badCall(found);
  return calls.map(({ id, name, arguments: input }) => ({
    id: id as string,
    name: name as string,
    input: input ?? {},
  }));
}

function badCall(found: string): Error {
  return integrityError("bad-call", {
    expected: "tool calls with an id of printable ASCII and a name",
    found,
    todo: "Pass the call as the model made it; give calls of one message that share an id, or have none, ids of their own. No tool was run and nothing was stored.",
  });
}

function blocksIn(cycle: CycleCall): readonly object[] {
  if (!isAssistantMessage(cycle)) return [cycle];
  return Array.isArray(cycle.content) ? cycle.content : [];
}

/** Returns true for a whole message, false for a single call. */
export function isAssistantMessage(cycle: CycleCall): cycle is AssistantMessage {
  return isObject(cycle) && cycle.role === "assistant";
}

/** Returns the call blocks of a stored message; none when it is not an assistant message. */
export function callBlocks(message: unknown): JsonObject[] {
  if (!isObject(message) || message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return (message.content as unknown[]).filter(isCallBlock);
}

/** Returns the results in a stored message: the message itself, or its result blocks. */
export function resultsIn(message: unknown): JsonObject[] {
  if (!isObject(message)) return [];
  if (isResultRole(message.role)) return [message];
  return message.role === "user" && Array.isArray(message.content)
    ? (message.content as unknown[]).filter(isResultBlock)
    : [];
}

/** The calls of a history and their results. */
export interface CallsOfHistory {
  /** Ids of all calls. */
  called: Set<unknown>;
  /** For each call id the number of real (not invented) results: ids may be used again. */
  results: Map<unknown, number>;
  /** Ids of the calls at the end of the history that have no result yet: the current turn. */
  openEnd: Set<unknown>;
}

/** Reads the calls of a history and their results, in any spelling and in one pass. */
export function callsOfHistory(messages: readonly unknown[]): CallsOfHistory {
  const called = new Set<unknown>();
  const real = new Map<unknown, number>();
  let openEnd = new Set<unknown>();
  for (const message of messages) {
    const results = resultsIn(message);
    for (const result of results) {
      const { id } = readResult(result);
      if (originOfResult(result) !== "invented") real.set(id, (real.get(id) ?? 0) + 1);
      openEnd.delete(id);
    }
    // Any other content ends the turn of the calls before it.
    if (results.length > 0 && holdsNothingElse(message, results)) continue;
    const ids = callBlocks(message).map((block) => readCall(block).id);
    for (const id of ids) called.add(id);
    openEnd = new Set(ids);
  }
  return { called, results: real, openEnd };
}

function holdsNothingElse(message: unknown, results: readonly JsonObject[]): boolean {
  const { content, role } = message as JsonObject;
  return isResultRole(role) || (Array.isArray(content) && content.length === results.length);
}
