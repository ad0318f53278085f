import { type JsonObject } from "../../transcript/json/json.ts";
import { Sound } from "../../transcript/json/sound.ts";
import { type Limits } from "../model.ts";
/** For the ids and names that heal() makes; Gemini itself accepts any id that is not empty. */
export declare const LIMITS: Limits;
/** The placeholder that Google documents for calls whose thought signature is unknown. */
export declare const NO_SIGNATURE = "skip_thought_signature_validator";
export declare const PART_FIELDS: Set<string>;
export declare const RESPONSE_FIELDS: Set<string>;
/** Returns the field that holds the content; undefined if there is none or more than one. */
export declare function dataField(part: JsonObject): string | undefined;
/** A signature may be missing. */
export declare function isSignature(value: unknown): boolean;
/** An id may be missing. */
export declare function isId(id: unknown): boolean;
/** True when Gemini accepts the part in a turn of this role. Shows all of it. */
export declare function isPart(part: unknown, role: unknown, sound?: Sound): boolean;
export declare const isCallPart: (part: unknown) => part is JsonObject;
export declare const isResponsePart: (part: unknown) => part is JsonObject;
