/** Rules of single families of models on Bedrock. */
import { type JsonObject } from "../../transcript/json/json.ts";
/** The rules that a request must keep. */
export interface FamilyRules {
    /** Llama, Mistral: no other content beside calls or results. */
    alone: boolean;
    /** Claude: beside results no video, and no document but PDF. */
    light: boolean;
    /** Claude with thinking on: no text behind a call. */
    callsLast: boolean;
}
/** Returns the rules of this model; none for an unknown model. */
export declare function familyRules(model: string, body: JsonObject): FamilyRules;
/** Returns the names of the rules that a message of known blocks breaks. */
export declare function brokenRules(role: unknown, content: readonly JsonObject[], rules: FamilyRules): string[];
/** Changes messages to keep these rules: splits a message, and puts one of the other role between the parts. */
export declare function keepRules(messages: readonly JsonObject[], rules: FamilyRules): JsonObject[];
/** Moves the cachePoint of a message without other content to the end of the message before. */
export declare function keepCachePoints(messages: readonly unknown[], saysNothing: (block: unknown) => boolean): readonly unknown[];
