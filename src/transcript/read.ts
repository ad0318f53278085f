import { firstPresent, isObject, type JsonObject } from "./json.ts";

/** Block types that are a tool call in one of the spellings found in stores and in provider formats. */
const CALL_TYPES = new Set(
  "toolCall tool_use toolUse functionCall function_call tool_call toolcall tooluse functioncall tool-call tool-use".split(" "),
);

/** Block types that are the result of a tool call. */
const RESULT_TYPES = new Set([
  "toolResult",
  "tool_result",
  "toolUseResult",
  "functionResponse",
  "function_response",
  "function_call_output",
  "toolresult",
  "tool-result",
]);

const CALL_ID_KEYS = ["id", "call_id", "toolCallId", "tool_call_id", "toolUseId", "tool_use_id"];
/** On Responses `id` is the item's own, results name the other one. */
const ITEM_ID_KEYS = ["call_id", ...CALL_ID_KEYS];
const RESULT_ID_KEYS = ["toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "call_id", "id"];
const ARGUMENT_KEYS = ["arguments", "input", "args"];
const NAME_KEYS = ["name", "toolName", "tool_name"];

/** Message roles that stand for a tool's result. */
const RESULT_ROLES = new Set(["toolResult", "tool", "function", "tool_result"]);

/** What a tool call says, in whatever spelling it is stored; ids and names may be of any type. */
export interface CallFields {
  id: unknown;
  name: unknown;
  arguments: unknown;
}

/** What a tool result says, in whatever spelling it is stored. */
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

/** Reads a call block (see {@link isCallBlock}), nested spellings included. */
export function readCall(block: JsonObject): CallFields {
  for (const key of ["function", "toolUse", "functionCall"]) {
    const inner = block[key];
    if (isObject(inner)) {
      return {
        id: firstPresent(inner, CALL_ID_KEYS) ?? firstPresent(block, CALL_ID_KEYS),
        name: firstPresent(inner, NAME_KEYS),
        arguments: firstPresent(inner, ARGUMENT_KEYS),
      };
    }
  }
  return {
    id: firstPresent(block, callIdKeys(block)),
    name: firstPresent(block, NAME_KEYS),
    arguments: firstPresent(block, ARGUMENT_KEYS),
  };
}

/** Reads a result block or a message whose role is a result's (see {@link isResultBlock}, {@link isResultRole}). */
export function readResult(source: JsonObject): ResultFields {
  const nested = isObject(source.toolResult) ? source.toolResult : source.functionResponse;
  const inner = isObject(nested) ? nested : source;
  return {
    id: firstPresent(inner, RESULT_ID_KEYS) ?? firstPresent(source, RESULT_ID_KEYS),
    name: firstPresent(inner, NAME_KEYS),
    content: firstPresent(inner, ["content", "output", "response", "result"]),
    isError: inner.isError === true || inner.is_error === true || inner.status === "error",
  };
}

/** Which field of a result holds the id, so that a new id is written where the old one stood. */
export function resultIdKey(source: JsonObject, fallback: string): string {
  return RESULT_ID_KEYS.find((key) => source[key] !== undefined && source[key] !== null) ?? fallback;
}

/** Which field of a call holds the id. */
export function callIdKey(block: JsonObject): string {
  return callIdKeys(block).find((key) => block[key] !== undefined && block[key] !== null) ?? "id";
}

function callIdKeys(block: JsonObject): readonly string[] {
  return block.type === "function_call" ? ITEM_ID_KEYS : CALL_ID_KEYS;
}

/** The key under which calls and results find each other; `""` when there is no usable id. */
export function idKey(id: unknown): string {
  if (typeof id === "string") return id;
  return id === undefined || id === null ? "" : JSON.stringify(id);
}

/** Ids that the store may carry unchanged: printable ASCII without spaces, at most 512 characters. */
export function isUsableId(id: unknown): id is string {
  if (typeof id !== "string" || id.length === 0 || id.length > 512) return false;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    if (code < 0x21 || code > 0x7e) return false;
  }
  return true;
}

/** Stop reasons of an assistant turn that failed; OpenClaw's adapters leave such a turn out of the request. */
export function isFailedTurn(message: JsonObject): boolean {
  const reason = message.stopReason;
  return reason === "error" || reason === "aborted" || reason === "terminated";
}
