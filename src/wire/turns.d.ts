import { type JsonObject } from "../transcript/json/json.ts";
import { type Block, type BodyMessage, type Limits } from "./model.ts";
/** Text of the user message behind a history that ends with the assistant, which the APIs would continue. */
export declare const CONTINUE_TEXT = "[Please continue.]";
/** Blocks of one role, in order; in a user turn the results come before all other content. */
export interface Turn {
    role: "user" | "assistant";
    results: BodyMessage[];
    blocks: Block[];
    /** The raw messages of the body that were joined in this turn. */
    raws: JsonObject[];
}
/** Joins the messages of a repaired history into turns that alternate between user and assistant. */
export declare function toTurns(messages: readonly BodyMessage[]): Turn[];
/** Replaces ids and names of calls and their results that the API does not accept. */
export declare function conformCalls(messages: readonly BodyMessage[], { id: idPattern, name: namePattern, nameLength }: Limits): BodyMessage[];
/** Returns the name with all characters replaced that the API refuses, cut to length; unchanged when it is accepted. */
export declare function conformName(name: string, pattern: RegExp, length: number): string;
/** Adds a user turn to a history that ends with the assistant, so that the API answers instead of continuing it. */
export declare function endWithUser(turns: Turn[]): Turn[];
/** Creates a user turn with this text. */
export declare function userTurn(text: string): Turn;
