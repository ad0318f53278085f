/**
 * Items of openai-agents, which have the rules of the Responses API: calls and results are judged as its items. All
 * other items stay as they are.
 */
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import { plainCopy } from "../../transcript/json/plain.ts";
import { readText } from "../../transcript/json/text.ts";
import { idKey } from "../../transcript/read.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import { isBuiltIn } from "../../wire/openai/responses-calls.ts";
import { repairIn } from "../api-form.ts";
import { selectMembers, withForeignRows } from "../foreign-rows.ts";
import type { ListRepair, RepairedRows } from "../violations.ts";

const CALL = "function_call";
const RESULT = "function_call_result";
const COMPUTER = "computer_call";
const COMPUTER_RESULT = "computer_call_result";
/** Calls and results of built-in tools, by their types in the Responses API. */
const BUILT_IN: ReadonlyMap<unknown, string> = new Map([
  [COMPUTER, COMPUTER],
  [COMPUTER_RESULT, "computer_call_output"],
  ...["shell_call", "shell_call_output", "apply_patch_call", "apply_patch_call_output"].map(
    (type): [string, string] => [type, type],
  ),
]);

/** The row that an item was read from. */
const SOURCE: unique symbol = Symbol("source");
type Item = JsonObject & { [SOURCE]?: { readonly row: JsonObject; readonly output: unknown } };

/** Repairs items of openai-agents; `rows` themselves where nothing breaks a rule. */
export function repairAgentItems(rows: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  try {
    return repairRead(rows, strategy);
  } catch {
    // A part of it cannot be read.
    return repairRead(
      rows.map((row) => plainCopy(row)),
      strategy,
    );
  }
}

function repairRead(rows: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  const members = selectMembers(rows, rows.map(isJudged));
  const given = new Map<unknown, unknown>();
  const answered = new Set(
    members.rows
      .filter(isObject)
      .filter(isResult)
      .map(({ callId }) => idKey(callId)),
  );
  const found: ListRepair[] = [];
  const items = members.rows.map((one, at) => {
    const row = one as JsonObject;
    const isOpen = row.type === COMPUTER && !answered.has(idKey(row.callId));
    const item = isOpen ? { role: "assistant", content: openCallText(row) } : toResponses(row);
    given.set(item, isOpen ? fromMessage(item) : row);
    if (isOpen)
      found.push({
        kind: "missing_tool_result",
        messageIndex: at,
        blockIndex: -1,
        id: idKey(row.callId),
        action: "replace_with_text",
      });
    return item;
  });
  const { rows: repaired, repairs: others } = repairIn("responses", items, strategy);
  const repairs = [...found, ...others].toSorted((one, other) => one.messageIndex - other.messageIndex);
  if (repairs.length === 0) return { rows, repairs };
  const sources = new Map(members.rows.filter(isObject).map((row) => [sourceKey(row.type, row.callId), row]));
  const calls = repaired.filter(isObject).filter(({ type }) => type === CALL);
  const names = new Map(calls.map((item) => [item.call_id, item.name]));
  const written = repaired.map((item) => given.get(item) ?? fromResponses(item as Item, sources, names));
  return {
    rows: withForeignRows(rows, members, written),
    repairs: repairs.map((repair) => ({ ...repair, messageIndex: members.places[repair.messageIndex]! })),
  };
}

/** True for calls that the client executes, their results and messages. */
function isJudged(row: unknown): boolean {
  if (!isObject(row)) return false;
  return row.type === CALL || row.type === RESULT || BUILT_IN.has(row.type) || typeof row.role === "string";
}

function isResult({ type }: JsonObject): boolean {
  return typeof type === "string" && /_(?:result|output)$/.test(type);
}

/** Returns the text in place of a call whose result could only be a screenshot. */
function openCallText({ action, actions }: JsonObject): string {
  const input = toJson(action ?? actions ?? null);
  return (
    `[A call of the tool computer with ${input} has no recorded result. It may have run; ` +
    "check before repeating it.]"
  );
}

function toResponses(row: JsonObject): JsonObject {
  if (row.type === CALL) return { type: CALL, call_id: row.callId, name: row.name, arguments: row.arguments };
  if (row.type === RESULT) return { type: "function_call_output", call_id: row.callId, output: outputText(row.output) };
  const type = BUILT_IN.get(row.type);
  if (type !== undefined) return isResult(row) ? toOutput(type, row) : toCall(type, row);
  const { role, content } = row;
  // What a message says is not judged, only whether it says anything, and that it says it twice.
  return { role, content: readText(content).trim() === "" ? [] : toJson(content) };
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : { input: value ?? null };
}

/** Reads a call of a built-in tool, of which only the id is judged: the other fields get a valid form. */
function toCall(type: string, row: JsonObject): Item {
  const fields =
    type === "apply_patch_call"
      ? { operation: asObject(row.operation), status: "completed" }
      : { action: asObject(row.action ?? row.actions) };
  return { type, call_id: row.callId, ...fields, [SOURCE]: { row, output: undefined } };
}

/** Reads a result; one of another shape than the API's, which is not judged, gets an output of the right one. */
function toOutput(type: string, row: JsonObject): Item {
  const isComputer = row.type === COMPUTER_RESULT;
  const output = isComputer && isObject(row.output) ? { ...row.output, image_url: row.output.data } : row.output;
  const status = type === "apply_patch_call_output" && { status: row.status };
  const item: Item = { type, call_id: row.callId, ...status, output, [SOURCE]: { row, output } };
  if (isBuiltIn(item)) return item;
  const text = toJson(row.output ?? null);
  const sound = isComputer
    ? { type: "computer_screenshot", file_id: text }
    : type === "shell_call_output"
      ? [{ stdout: text, stderr: "", outcome: { type: "timeout" } }]
      : text;
  return { ...item, ...(status && { status: "completed" }), output: sound, [SOURCE]: { row, output: sound } };
}

function fromBuiltIn({ type, call_id: callId, output, status, [SOURCE]: source }: Item): JsonObject {
  if (source && source.output === output) return { ...source.row, callId };
  return { ...source?.row, type, callId, ...(type === "apply_patch_call_output" && { status }), output };
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
  item: Item,
  sources: ReadonlyMap<string, JsonObject>,
  names: ReadonlyMap<unknown, unknown>,
): JsonObject {
  const { type, call_id: callId } = item;
  if (BUILT_IN.has(type) || type === "computer_call_output") return fromBuiltIn(item);
  if (type === CALL) {
    const source = sources.get(sourceKey(CALL, callId));
    return { ...source, type, callId, name: item.name, status: "completed", arguments: item.arguments };
  }
  if (type === "function_call_output") {
    const source = sources.get(sourceKey(RESULT, callId));
    const text = readText(item.output);
    const isSame = source && outputText(source.output) === text;
    const screen = sources.get(sourceKey(COMPUTER_RESULT, callId))?.output;
    const output = isSame
      ? source.output
      : !source && isObject(screen) && typeof screen.data === "string"
        ? [{ type: "input_image", image: screen.data }]
        : { type: "text", text };
    return {
      ...source,
      type: RESULT,
      callId,
      name: source?.name ?? names.get(callId) ?? "",
      status: "completed",
      output,
    };
  }
  return fromMessage(item);
}

function fromMessage({ role, content }: JsonObject): JsonObject {
  const isAssistant = role === "assistant";
  const kind = isAssistant ? "output_text" : "input_text";
  const text = typeof content === "string" ? content : readText(content);
  return { type: "message", role, ...(isAssistant && { status: "completed" }), content: [{ type: kind, text }] };
}
