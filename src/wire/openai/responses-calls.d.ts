/**
 * Calls that the client executes on OpenAI Responses, and their outputs: each type of call has its own type of output.
 */
import { type JsonObject } from "../../transcript/json/json.ts";
/** True for a call that requires an output from the client. */
export declare function isCall(item: JsonObject): boolean;
export declare function isCallOutput(item: JsonObject): boolean;
/** Returns the type of the calls that an output of this type answers. */
export declare function callTypeOf({ type }: JsonObject): string | undefined;
/**
 * Returns the id of the call that an output names. SDKs write the one of a local shell call to `id`, which the server
 * does not read.
 */
export declare function callIdOf(item: JsonObject): unknown;
/**
 * Returns whether a call or output of a built-in tool has the fields that the API requires; undefined for other items.
 * Ids are checked separately.
 */
export declare function isBuiltIn(item: JsonObject): boolean | undefined;
/** Returns name and arguments of a call, for the pairing only; the item itself is sent. */
export declare function readCall(item: JsonObject): {
    name: unknown;
    input: unknown;
};
/** Returns the call with this id and name in its own type; undefined for any other than a built-in or custom call. */
export declare function writeCall(raw: JsonObject, id: unknown, name: unknown, read: JsonObject): JsonObject | undefined;
/**
 * Writes the output of a call of a built-in tool: the one that was read where it has the right type, otherwise one with
 * this text. Text that the type has no field for is returned as `left`. Without an output the call must become text.
 */
export declare function writeBuiltInOutput(call: JsonObject, id: unknown, own: JsonObject | undefined, words: string): {
    output: JsonObject | undefined;
    left: string;
};
/** Returns the content of an output as text. */
export declare function outputText(item: JsonObject): string;
