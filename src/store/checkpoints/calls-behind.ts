import { nameInline } from "../../base/quoted.ts";
import type { ToolCycle } from "../../journal/tool-cycles.ts";
import { idKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "../../transcript/read.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/**
 * What happened to a tool call. `done` and `failed`: there is a result, without or with an error. `unknown`: the call
 * may have run. `not-started`: by the journal, the tool never began.
 */
export type CallOutcome = "done" | "failed" | "unknown" | "not-started";

/** A tool call found in entries. */
export interface CallBehind {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: CallOutcome;
  /** The journal's open tool cycle of this call, if there is one. */
  readonly cycleId?: number;
}

/**
 * Returns the tool calls in these entries, in order, each with its outcome by the entries themselves and by the
 * journal's open cycles.
 */
export function callsIn(entries: Iterable<JsonObject>, openCycles: readonly ToolCycle[]): readonly CallBehind[] {
  const results = new Map<string, "done" | "failed">();
  const calls: { readonly callId: string; readonly name: unknown }[] = [];
  for (const { message } of entries) {
    if (!isObject(message)) continue;
    for (const { id, name } of readCalls(message)) calls.push({ callId: idKey(id), name });
    for (const { id, isError } of listResults(message)) results.set(idKey(id), isError ? "failed" : "done");
  }
  const cycles = new Map(openCycles.map((cycle) => [cycle.callId, cycle]));
  return calls.map(({ callId, name }) => {
    const cycle = cycles.get(callId);
    const outcome = results.get(callId) ?? readOutcome(cycle);
    return {
      callId,
      tool: typeof name === "string" && name !== "" ? name : "unknown_tool",
      outcome,
      ...(cycle !== undefined && { cycleId: cycle.id }),
    };
  });
}

/** Counts calls by tool, most frequent first: `exec 2, read 1`. */
export function countByTool(calls: readonly CallBehind[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts]
    .toSorted(([left, more], [right, less]) => less - more || left.localeCompare(right))
    .map(([tool, count]) => `${nameInline(tool)} ${count}`)
    .join(", ");
}

function readOutcome(cycle: ToolCycle | undefined): CallOutcome {
  if (cycle?.state === "pending") return "not-started";
  if (cycle?.result === undefined) return "unknown";
  return cycle.result.isError ? "failed" : "done";
}

function readCalls({ role, content }: JsonObject): ReturnType<typeof readCall>[] {
  return role === "assistant" && Array.isArray(content) ? content.filter(isCallBlock).map(readCall) : [];
}

function listResults(message: JsonObject): ReturnType<typeof readResult>[] {
  if (isResultRole(message.role)) return [readResult(message)];
  return Array.isArray(message.content) ? message.content.filter(isResultBlock).map(readResult) : [];
}
