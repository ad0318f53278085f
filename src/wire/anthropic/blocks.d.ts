import { type JsonObject } from "../../transcript/json/json.ts";
import type { Sound } from "../../transcript/json/sound.ts";
import { type Limits } from "../model.ts";
/** Anthropic's limits, which Bedrock shares. */
export declare const ANTHROPIC_LIMITS: Limits;
export declare const USER_MEDIA: Set<string>;
export declare const RESULT_MEDIA: Set<string>;
export declare const MESSAGE_FIELDS: Set<string>;
/** Returns the block without fields that its type does not have; the same block when there are none. */
export declare function strip(block: JsonObject): JsonObject;
/** Text appended to a message that would end with thinking. */
export declare const CUT_OFF_TEXT = "[The answer was cut off here.]";
/** Signatures are base64; for some compatible servers OpenClaw's adapter sends the name of a field instead. */
export declare const SIGNATURE: RegExp;
export declare function isText(block: JsonObject): boolean;
export declare function isMedia(block: JsonObject, types: Set<string>): boolean;
export declare function isThinking(block: JsonObject): boolean;
export declare function isThought(block: JsonObject): boolean;
/** Shows the result's id and content. */
export declare function isToolResult(block: JsonObject, sound: Sound): boolean;
/** True for a block that the server made, with all fields that the server requires back. */
export declare function isServerBlock(block: JsonObject, claude: boolean): boolean;
/** True for a block that a message of this role may have; the pairing of calls and results is checked separately. */
export declare function isKnown(block: unknown, role: unknown, claude: boolean, sound: Sound): boolean;
