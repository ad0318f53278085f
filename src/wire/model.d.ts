import type { Sound } from "../transcript/json/sound.ts";
import { type JsonObject } from "../transcript/json/json.ts";
/** The raw block, item or message of a body, on the OpenClaw block that was read from it. */
export declare const RAW: unique symbol;
/** The content list that a message was read with; the same as its content while nothing was changed. */
declare const READ: unique symbol;
/** A block in OpenClaw's format, with the raw block of the body where it was read from one. */
export type Block = JsonObject & {
    [RAW]?: JsonObject;
};
/** A message in OpenClaw's format, as read from a body. */
export type BodyMessage = JsonObject & {
    role: "user" | "assistant" | "toolResult";
    [RAW]?: JsonObject;
    [READ]?: unknown;
};
/** One rule of an API that a body breaks. */
export interface WireViolation {
    /** Short name of the rule, for logs and counts; no content. */
    rule: string;
    /** The place, in the APIs' notation: `messages.3.content.0`. */
    path: string;
}
/** Which ids and names an API accepts. */
export interface Limits {
    id: RegExp;
    name: RegExp;
    nameLength: number;
}
/**
 * A provider API: how its bodies are checked, read into OpenClaw's format and written from it. Some rules depend on the
 * model.
 */
export interface Dialect {
    /** The body's field that holds the history. */
    field: "messages" | "input" | "contents";
    limits(model: string): Limits;
    /**
     * Returns the broken rules; only the first ones when there are very many. Where there are none, every part of the
     * history was shown to `sound`.
     */
    check(body: JsonObject, model: string, sound: Sound): WireViolation[];
    /** Returns the history in OpenClaw's format, each block with its raw block. */
    read(body: JsonObject, model: string): BodyMessage[];
    /** Returns the history in the API's format. */
    write(messages: readonly BodyMessage[], body: JsonObject, model: string): unknown;
}
/** Creates an opaque block for a user message or result: valid in the API, and not part of the pairing. */
export declare function opaqueMedia(raw: JsonObject): Block;
/** Creates an opaque block for an assistant message. */
export declare function opaqueThought(raw: JsonObject): Block;
/** Creates a text block, with its raw block when that can be sent as it is. */
export declare function textBlock(text: string, raw?: JsonObject): Block;
/** True for base64 of at least one byte. */
export declare function isBase64(data: unknown): data is string;
/** True for the URL of an image; a data URL must have valid base64. */
export declare function isPictureUrl(url: unknown): boolean;
/** Returns the image in a block that was not read from a valid one of the API; undefined when there is none. */
export declare function pictureOf(block: Block): {
    data: string;
    mimeType: string;
} | undefined;
/** Returns the text of a block that the API has no form for. */
export declare function wordsOf(block: Block): string;
/** Returns the text in place of a call that has no result and cannot get one, with the call's whole input. */
export declare function wordsOfCall(name: string, input: unknown): string;
/** Creates a call block read from a body; arguments of a wrong type are converted by the repair. */
export declare function callBlock(id: unknown, name: unknown, args: unknown, raw: JsonObject): Block;
/** Creates a result message read from a body. */
export declare function resultMessage(id: unknown, name: unknown, content: unknown[], isError: boolean, raw: JsonObject): BodyMessage;
/** True when a result's content was not changed since it was read, so that its raw form may be sent. */
export declare function isUntouched(message: BodyMessage): boolean;
/** True when the object has no field that is not in `known`. */
export declare function hasOnly(object: JsonObject, known: ReadonlySet<string>): boolean;
/** True for a text block with no other field, as nearly all are; its text is shown. */
export declare function isPlainText(block: JsonObject, type: string, sound: Sound): boolean;
/**
 * Returns the object without fields that are not in `known`, which APIs refuse; the same object when there are none.
 */
export declare function pick(object: JsonObject, known: ReadonlySet<string>): JsonObject;
/**
 * True when `text` is the JSON of an object that is not too deep, as OpenAI's APIs require of arguments. The text is
 * shown.
 */
export declare function isArgumentsText(text: unknown, sound?: Sound): boolean;
/** Records a broken rule. The parts of the path are joined only here, since nearly every body breaks no rule. */
export type ReportRule = (rule: string, ...path: (string | number)[]) => void;
/** Returns an empty list of violations and the function that adds to it. */
export declare function collector(): {
    violations: WireViolation[];
    report: ReportRule;
};
export {};
