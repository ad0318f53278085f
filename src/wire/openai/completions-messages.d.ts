/** Which messages and parts chat servers accept, each judged without its neighbours. */
import { type JsonObject } from "../../transcript/json/json.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { type Limits } from "../model.ts";
export declare const LIMITS: Limits;
export declare const MISTRAL_LIMITS: Limits;
/** Text of the assistant message that Mistral requires between a tool result and a user message. */
export declare const AFTER_TOOLS_TEXT = "[The tool results were received.]";
/** The fields of messages, including those of compatible servers; strict servers refuse others. */
export declare const MESSAGE_FIELDS: Set<string>;
export declare const CALL_FIELDS: Set<string>;
export declare const FUNCTION_FIELDS: Set<string>;
/** Returns the part without fields that its type does not have; the same part when there are none. */
export declare function strip(part: JsonObject): JsonObject;
export declare function limitsFor(model: string): Limits;
/** True when the model's server checks for reasoning, and the request shows that thinking is on. */
export declare function wantsReasoning(body: JsonObject, model: string, messages: readonly unknown[]): boolean;
export declare function isTextPart(part: unknown): part is JsonObject;
export declare function isUserPart(part: unknown): part is JsonObject;
export declare function isAssistantPart(part: unknown): part is JsonObject;
/** Shows the content. */
export declare function isToolContent(content: unknown, sound?: Sound): boolean;
export declare function isSystem(message: JsonObject): boolean;
/** True when servers accept the message, judged without its neighbours. Shows all of it. */
export declare function isMessage(message: JsonObject, limits: Limits, sound?: Sound): boolean;
