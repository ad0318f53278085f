/** Which blocks Bedrock accepts, each judged without its neighbours. */
import { type JsonObject } from "../../transcript/json/json.ts";
import { Sound } from "../../transcript/json/sound.ts";
/** Bedrock's names are shorter than Anthropic's. */
export declare const LIMITS: {
    id: RegExp;
    name: RegExp;
    nameLength: number;
};
export declare const USER_BLOCKS: string[];
export declare const ASSISTANT_BLOCKS: string[];
export declare const RESULT_BLOCKS: string[];
/** Returns the kind of a Converse block: the name of its only field; undefined when there are more, or none. */
export declare function kindOf(block: JsonObject): string | undefined;
export declare function isText(block: JsonObject): boolean;
export declare function isOpaque(block: JsonObject, kinds: readonly string[], claude?: boolean): boolean;
/** True for Claude, and where no model is known. */
export declare function isClaude(model: string): boolean;
/** Shows the result. */
export declare function isToolResult(block: JsonObject, sound?: Sound): boolean;
/** True for a block that a message of this role may have; the pairing is checked separately. Shows all of it. */
export declare function isKnown(block: unknown, role: unknown, claude: boolean, sound: Sound): boolean;
