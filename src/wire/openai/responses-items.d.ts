/** Which items and parts OpenAI Responses accepts, each judged without its neighbours. */
import { type JsonObject } from "../../transcript/json/json.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { type Limits } from "../model.ts";
export declare const LIMITS: Limits;
/** Types of items that the server makes and accepts back as they are. */
export declare const SERVER_ITEMS: Set<string>;
/** True for a compaction: the server ignores all items before it. */
export declare function isCompaction(item: unknown): boolean;
/** Returns the item or part without fields that its type does not have; the same object when there are none. */
export declare function strip(item: JsonObject): JsonObject;
export declare function isUserPart(part: unknown): boolean;
export declare function isAssistantPart(part: unknown): boolean;
export declare function isMessageItem(item: JsonObject): boolean;
/** True when the API accepts the item, judged without its neighbours. Shows all of it. */
export declare function isItem(item: JsonObject, sound?: Sound): boolean;
/** Returns the item without a status that the API does not have; the same item when its status is valid. */
export declare function withoutBadStatus(item: JsonObject): JsonObject;
export declare function isItemId(item: JsonObject): boolean;
export declare function isOutput(output: unknown): boolean;
/**
 * True for an item that may follow a reasoning item as its result. A message without `type` is an input of the client
 * and does not count.
 */
export declare function followsReasoning(item: unknown): boolean;
/** Whether an item belongs to the assistant's side of the history. */
export declare function isAssistantSide(item: JsonObject): boolean;
/** Returns the item without its id; a reference keeps it. */
export declare function withoutId(item: JsonObject): JsonObject;
