/** Reads calls and results in any spelling, and writes a changed id or content back to the field it was read from. */
import { firstPresent, isObject, toJson, wordSet, type JsonObject } from "./json/json.ts";

/** Block types of tool calls, in all spellings found in stores and in provider formats. */
const CALL_TYPES = wordSet(
  "toolCall tool_use toolUse functionCall function_call tool_call toolcall tooluse functioncall tool-call tool-use",
);

/** Block types of tool results. */
const RESULT_TYPES = wordSet(
  "toolResult tool_result toolUseResult functionResponse function_response function_call_output toolresult tool-result",
);

const CALL_ID_KEYS = ["id", "call_id", "toolCallId", "tool_call_id", "toolUseId", "tool_use_id"];
/** On Responses `id` identifies the item, and results refer to `call_id`. */
const ITEM_ID_KEYS = ["call_id", ...CALL_ID_KEYS];
const RESULT_ID_KEYS = ["toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "call_id", "id"];
const ARGUMENT_KEYS = ["arguments", "input", "args"];
const NAME_KEYS = ["name", "toolName", "tool_name"];

/** Message roles of tool results. */
const RESULT_ROLES = new Set(["toolResult", "tool", "function", "tool_result"]);

/** The fields of a tool call in any spelling; ids and names may be of any type. */
export interface CallFields {
  id: unknown;
  name: unknown;
  arguments: unknown;
}

/** The fields of a tool result in any spelling. */
export interface ResultFields {
  id: unknown;
  name: unknown;
  content: unknown;
  isError: boolean;
}

/** True when `block` is a tool call in any spelling. */
export function isCallBlock(block: unknown): block is JsonObject {
  if (!isObject(block)) return false;
  if (typeof block.type === "string") {
    return CALL_TYPES.has(block.type) || (block.type === "function" && isObject(block.function));
  }
  return isObject(block.toolUse) || isObject(block.functionCall);
}

/** True when `block` is a tool result in any spelling. */
export function isResultBlock(block: unknown): block is JsonObject {
  if (!isObject(block)) return false;
  if (typeof block.type === "string") return RESULT_TYPES.has(block.type);
  return isObject(block.toolResult) || isObject(block.functionResponse);
}

/** True when a message of this role is a tool result as a whole. */
export function isResultRole(role: unknown): boolean {
  return typeof role === "string" && RESULT_ROLES.has(role);
}

/** True for a message that is a tool result as a whole. */
export function isResultMessage(message: unknown): boolean {
  return isObject(message) && isResultRole(message.role);
}

/** True for a message of a user, which may hold results. */
export function isUserMessage(message: unknown): boolean {
  return isObject(message) && message.role === "user";
}

/** Fields that hold the inner object of a nested spelling. */
const NESTED_CALLS = ["function", "toolUse", "functionCall"];
const NESTED_RESULTS = ["toolResult", "functionResponse"];

/** Returns the name of the field with the inner object; undefined where all fields are in the block itself. */
function nestedIn(source: JsonObject, names: readonly string[]): string | undefined {
  return names.find((name) => isObject(source[name]));
}

/**
 * Returns the objects that are searched for a call's fields, in order. In its own spelling OpenClaw reads the fields of
 * the block itself, whatever else the block contains.
 */
function holdersOfCall(block: JsonObject): readonly JsonObject[] {
  const nested = nestedIn(block, NESTED_CALLS);
  if (nested === undefined) return [block];
  const inner = block[nested] as JsonObject;
  return block.type === "toolCall" ? [block, inner] : [inner, block];
}

function holdersOfResult(source: JsonObject): readonly JsonObject[] {
  const nested = nestedIn(source, NESTED_RESULTS);
  if (nested === undefined) return [source];
  const inner = source[nested] as JsonObject;
  return isResultRole(source.role) || source.type === "toolResult" ? [source, inner] : [inner, source];
}

/** Returns the first value of `keys` in the first holder that has one. */
function firstIn(holders: readonly JsonObject[], keys: readonly string[]): unknown {
  for (const holder of holders) {
    const value = firstPresent(holder, keys);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Reads a call block (see {@link isCallBlock}), nested spellings included. */
export function readCall(block: JsonObject): CallFields {
  const holders = holdersOfCall(block);
  return {
    id: firstIn(holders, callIdKeys(block)),
    name: firstIn(holders, NAME_KEYS),
    arguments: firstIn(holders, ARGUMENT_KEYS),
  };
}

/** Reads a result block or a message of a result role (see {@link isResultBlock}, {@link isResultRole}). */
export function readResult(source: JsonObject): ResultFields {
  const holders = holdersOfResult(source);
  const first = holders[0]!;
  return {
    id: firstIn(holders, RESULT_ID_KEYS),
    name: firstPresent(first, NAME_KEYS),
    content: firstIn(holders, CONTENT_KEYS),
    isError: first.isError === true || first.is_error === true || first.status === "error",
  };
}

/** Returns the call with another id, written to the field that {@link readCall} reads. */
export function withCallId(block: JsonObject, id: unknown): JsonObject {
  return withId(block, id, {
    holders: holdersOfCall(block),
    keys: callIdKeys(block),
    nested: nestedIn(block, NESTED_CALLS),
    fallback: "id",
  });
}

/**
 * Returns the result with another id, written to the field that {@link readResult} reads; to `fallback` where the
 * result has no id.
 */
export function withResultId(source: JsonObject, id: unknown, fallback: string): JsonObject {
  return withId(source, id, {
    holders: holdersOfResult(source),
    keys: RESULT_ID_KEYS,
    nested: nestedIn(source, NESTED_RESULTS),
    fallback,
  });
}

const CONTENT_KEYS = ["content", "output", "response", "result"];

/** Returns the result with other content, written to the field that {@link readResult} reads. */
export function withResultContent(source: JsonObject, content: unknown): JsonObject {
  for (const holder of holdersOfResult(source)) {
    const key = CONTENT_KEYS.find((name) => isPresent(holder[name]));
    if (key === undefined) continue;
    return holder === source
      ? { ...source, [key]: content }
      : { ...source, [nestedIn(source, NESTED_RESULTS)!]: { ...holder, [key]: content } };
  }
  return { ...source, content };
}

interface IdPlaces {
  readonly holders: readonly JsonObject[];
  readonly keys: readonly string[];
  readonly nested: string | undefined;
  readonly fallback: string;
}

/** Returns `source` with another id; the same object when the id is equal. */
function withId(source: JsonObject, id: unknown, { holders, keys, nested, fallback }: IdPlaces): JsonObject {
  for (const holder of holders) {
    const key = keys.find((name) => isPresent(holder[name]));
    if (key === undefined) continue;
    if (holder[key] === id) return source;
    return holder === source ? { ...source, [key]: id } : { ...source, [nested!]: { ...holder, [key]: id } };
  }
  return { ...source, [fallback]: id };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns the name of the field that holds a call's id. */
export function callIdKey(block: JsonObject): string {
  return callIdKeys(block).find((key) => isPresent(block[key])) ?? "id";
}

function callIdKeys(block: JsonObject): readonly string[] {
  return block.type === "function_call" ? ITEM_ID_KEYS : CALL_ID_KEYS;
}

/** Returns the key by which calls and results are matched; `""` when there is no id. */
export function idKey(id: unknown): string {
  if (typeof id === "string") return id;
  return id === undefined || id === null ? "" : toJson(id);
}

/** True for an id that may stay unchanged: printable ASCII without spaces, at most 512 characters. */
export function isUsableId(id: unknown): id is string {
  if (typeof id !== "string" || id.length === 0 || id.length > 512) return false;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    if (code < 0x21 || code > 0x7e) return false;
  }
  return true;
}

/**
 * True for a call that was cut off while it was streamed. OpenClaw's adapter for Responses leaves the whole text of the
 * arguments in a call that is complete.
 */
export function isCutOff({ partialJson }: JsonObject): boolean {
  if (partialJson === undefined || partialJson === null) return false;
  if (typeof partialJson !== "string") return true;
  try {
    return !isObject(JSON.parse(partialJson));
  } catch {
    return true;
  }
}

/** True for an assistant message of a failed turn, which OpenClaw's adapters leave out of the request. */
export function isFailedTurn(message: JsonObject): boolean {
  const reason = message.stopReason;
  return reason === "error" || reason === "aborted" || reason === "terminated";
}
