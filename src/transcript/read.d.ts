import { type JsonObject } from "./json/json.ts";
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
export declare function isCallBlock(block: unknown): block is JsonObject;
/** True when `block` is a tool result in any spelling. */
export declare function isResultBlock(block: unknown): block is JsonObject;
/** True when a message of this role is a tool result as a whole. */
export declare function isResultRole(role: unknown): boolean;
/** Reads a call block (see {@link isCallBlock}), nested spellings included. */
export declare function readCall(block: JsonObject): CallFields;
/** Reads a result block or a message of a result role (see {@link isResultBlock}, {@link isResultRole}). */
export declare function readResult(source: JsonObject): ResultFields;
/** Returns the call with another id, written to the field that {@link readCall} reads. */
export declare function withCallId(block: JsonObject, id: unknown): JsonObject;
/**
 * Returns the result with another id, written to the field that {@link readResult} reads; to `fallback` where the
 * result has no id.
 */
export declare function withResultId(source: JsonObject, id: unknown, fallback: string): JsonObject;
/** Returns the result with other content, written to the field that {@link readResult} reads. */
export declare function withResultContent(source: JsonObject, content: unknown): JsonObject;
/** Returns the name of the field that holds a result's id. */
export declare function resultIdKey(source: JsonObject, fallback: string): string;
/** Returns the name of the field that holds a call's id. */
export declare function callIdKey(block: JsonObject): string;
/** Returns the key by which calls and results are matched; `""` when there is no id. */
export declare function idKey(id: unknown): string;
/** True for an id that may stay unchanged: printable ASCII without spaces, at most 512 characters. */
export declare function isUsableId(id: unknown): id is string;
/** True for an assistant message of a failed turn, which OpenClaw's adapters leave out of the request. */
export declare function isFailedTurn(message: JsonObject): boolean;
