/**
 * Reads what stands in a body in another form than its API's: messages as OpenClaw stores them, or as another API takes
 * them. {@link repair} brings their calls and results into one spelling.
 */
import { type JsonObject } from "../transcript/json/json.ts";
import type { BodyMessage, Dialect } from "./model.ts";
/** Returns the field that holds the history of a body whose own field has none; undefined for nearly every body. */
export declare function foreignField(body: JsonObject, field: Dialect["field"]): string | undefined;
/**
 * Returns the body with its history in the field of its API; the same body when it is there, as a list or as a text. A
 * single message becomes a list of one.
 */
export declare function inOwnField(body: JsonObject, field: Dialect["field"]): JsonObject;
/** Returns the items of a history that is a list, or one text. */
export declare function itemsOf(history: unknown): unknown[];
/** True for the assistant, under the name that any API has for it. */
export declare function isAssistantRole(role: unknown): boolean;
/**
 * Returns a message that is a tool result as a whole, as OpenClaw and chat servers have them; undefined for any other
 * message, and for one whose content holds result blocks.
 */
export declare function wholeResult(message: JsonObject): BodyMessage | undefined;
/**
 * Returns what a message says as a list, under the name that any API has for it. For a message without content, such as
 * OpenClaw's record of a command, its other fields.
 */
export declare function contentOf(message: JsonObject, own?: "content" | "parts"): unknown[];
/** Returns the calls that an assistant message has beside its content, as chat servers have them. */
export declare function callsBeside({ role, tool_calls: calls }: JsonObject): unknown[];
