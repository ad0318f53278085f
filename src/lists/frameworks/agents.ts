/**
 * Items of openai-agents, which have the rules of the Responses API: calls and results are judged as its items. All other
 * items stay as they are.
 */
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { textOf } from "../../transcript/json/text.ts";
import { idKey } from "../../transcript/read.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import { repairIn } from "../api-form.ts";
import { membersOf, withForeignRows } from "../foreign-rows.ts";
import type { RepairedRows } from "../violations.ts";

const CALL = "function_call";
const RESULT = "function_call_result";

/** Repairs items of openai-agents; `rows` themselves where nothing breaks a rule. */
export function repairAgentItems(rows: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  const members = membersOf(rows, rows.map(isJudged));
  const given = new Map<unknown, unknown>();
  const items = members.rows.map((row) => {
    const item = toResponses(row as JsonObject);
    given.set(item, row);
    return item;
  });
  const { rows: repaired, repairs } = repairIn("responses", items, strategy);
  if (repairs.length === 0) return { rows, repairs };
  const sources = new Map(members.rows.filter(isObject).map((row) => [sourceKey(row.type, row.callId), row]));
  const calls = repaired.filter(isObject).filter(({ type }) => type === CALL);
  const names = new Map(calls.map((item) => [item.call_id, item.name]));
  const written = repaired.map((item) => given.get(item) ?? fromResponses(item as JsonObject, sources, names));
  return {
    rows: withForeignRows(rows, members, written),
    repairs: repairs.map((repair) => ({ ...repair, messageIndex: members.places[repair.messageIndex]! })),
  };
}

/** True for calls of functions, their results and messages. */
function isJudged(row: unknown): boolean {
  return isObject(row) && (row.type === CALL || row.type === RESULT || typeof row.role === "string");
}

function toResponses(row: JsonObject): JsonObject {
  if (row.type === CALL) return { type: CALL, call_id: row.callId, name: row.name, arguments: row.arguments };
  if (row.type === RESULT) return { type: "function_call_output", call_id: row.callId, output: outputText(row.output) };
  const { role, content } = row;
  // What a message says is not judged, only whether it says anything.
  return { role, content: textOf(content).trim() === "" ? [] : "said" };
}

function outputText(output: unknown): unknown {
  if (output === undefined || output === null) return output;
  if (typeof output === "string") return output;
  const text = isObject(output) && output.type === "text" ? output.text : undefined;
  return typeof text === "string" ? text : toJson(output);
}

function sourceKey(type: unknown, id: unknown): string {
  return `${String(type)} ${idKey(id)}`;
}

function fromResponses(
  item: JsonObject,
  sources: ReadonlyMap<string, JsonObject>,
  names: ReadonlyMap<unknown, unknown>,
): JsonObject {
  const { type, call_id: callId } = item;
  if (type === CALL) {
    const source = sources.get(sourceKey(CALL, callId));
    return { ...source, type, callId, name: item.name, status: "completed", arguments: item.arguments };
  }
  if (type === "function_call_output") {
    const source = sources.get(sourceKey(RESULT, callId));
    const text = textOf(item.output);
    const isSame = source && outputText(source.output) === text;
    const output = isSame ? source.output : { type: "text", text };
    return {
      ...source,
      type: RESULT,
      callId,
      name: source?.name ?? names.get(callId) ?? "",
      status: "completed",
      output,
    };
  }
  const { role, content } = item;
  const isAssistant = role === "assistant";
  const kind = isAssistant ? "output_text" : "input_text";
  const text = typeof content === "string" ? content : textOf(content);
  return { type: "message", role, ...(isAssistant && { status: "completed" }), content: [{ type: kind, text }] };
}
