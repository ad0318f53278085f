/** Reads the calls and results of messages in OpenClaw's and in Anthropic's format. */
import { valueInline } from "../../base/quoted.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isCallBlock, isResultBlock, isResultRole, isUsableId, readCall, readResult } from "../../transcript/read.ts";
import { originOfResult } from "../../transcript/invented.ts";
import { describeKind } from "../base/bad-input.ts";
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
  if (calls.length === 0)
    throw badCall(
      isAssistantMessage(cycle) ? "an assistant message without calls" : `${describeKind(cycle)} that is no call`,
      "Pass the call, or the assistant's message with its calls, as the model made it.",
    );
  const ids = new Set<unknown>();
  for (const { id, name } of calls) {
    if (isUsableId(id) && typeof name === "string" && name !== "" && !ids.has(id)) ids.add(id);
    else {
      const call = `a call with the id ${valueInline(id)} and the name ${valueInline(name)}`;
      throw ids.has(id)
        ? badCall(`${call}, an id that occurs twice`, "Give each call of the message an id of its own.")
        : badCall(
            call,
            "Pass the call as the model made it; give a call without an id one that the session does not have.",
          );
    }
  }
  return calls.map(({ id, name, arguments: input }) => ({
    id: id as string,
    name: name as string,
    input: input ?? {},
  }));
}

function badCall(found: string, todo: string): Error {
  return integrityError("bad-call", {
    expected: "tool calls with an id of printable ASCII without spaces, and a name",
    found,
    todo: `${todo} No tool was run and nothing was stored.`,
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
  /** The number of real (not invented) results by call id: ids may be used again. */
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
