import type { ViolationKind } from "./violations.ts";
import { type Message, type Spelling } from "./clean.ts";
/** Called with each violation in the shape of a message's block (-1: of the message itself). */
type Note = (kind: ViolationKind, blockIndex: number) => void;
/**
 * Converts any value to messages of known roles with blocks of known types, without losing readable content. Returns
 * the message itself when it has such a shape already, and none when it is empty. An unknown block becomes text; with
 * spelling `openclaw` results inside a message become messages directly behind it (before it, in a user message).
 *
 * `note` is called with every violation.
 */
export declare function shapeMessage(message: unknown, spelling: Spelling, note: Note): Message[];
export {};
