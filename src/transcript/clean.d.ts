import { type JsonObject } from "./json/json.ts";
/** A message from {@link shapeMessage}: an object with a known role. */
export type Message = JsonObject;
/**
 * `keep`: calls and results stay in their stored spelling. `openclaw`: they become `toolCall` blocks and `toolResult`
 * messages, the only spelling that OpenClaw's adapters send.
 */
export type Spelling = "keep" | "openclaw";
/** Throws a TypeError, which names the function and the spellings, for a value that is none. */
export declare function assertSpelling(name: string, spelling: unknown): void;
/** True for a message that OpenClaw itself turns into text: its content is neither checked nor repaired. */
export declare function isCustomMessage(message: Message): boolean;
/** Tool names that OpenClaw 2026.9 replays; calls of other names are dropped together with their results. */
export declare const REPLAYED_NAME: RegExp;
/** True when `block` is valid as it is in a message of this role (`user`, `assistant` or `toolResult`). */
export declare function isCleanBlock(block: unknown, role: string, spelling: Spelling): boolean;
/** True when a message nests too deeply to be stored or sent. */
export declare function isTooDeep(message: unknown): boolean;
/** True when {@link shapeMessage} would not change the message, unless it is empty. Allocates nothing. */
export declare function isShapely(message: unknown, spelling: Spelling): message is Message;
/**
 * True when {@link isShapely} and the message is not empty, in one walk; also false for some messages in rare forms.
 * Throws what a getter of the message throws.
 */
export declare function isShapelyAndSays(message: unknown, spelling: Spelling): message is Message;
/** False when a result's id is in a field that OpenClaw does not read. */
export declare function hasOwnResultId(message: Message): boolean;
/**
 * True for a result that OpenClaw 2026.9 would drop as invented, because of a mark or one of its blocks, although it
 * has other content too, or details as only a tool returns.
 */
export declare function isHalfSynthetic({ content, details, isError }: Message): boolean;
/**
 * Changes such a result in place so that OpenClaw does not drop it: its content stays, and OpenClaw's own text in it is
 * quoted.
 */
export declare function keepHalfSynthetic(result: Message): void;
/** True for a user or assistant message, shaped already, without any content that could be sent. */
export declare function isEmptyMessage(message: Message): boolean;
