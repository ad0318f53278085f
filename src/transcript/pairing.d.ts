import type { Message } from "./clean.ts";
import { type ResultOrigin } from "./invented.ts";
/** A tool call in a list of messages. */
export interface CallRef {
    /** Index of its message. */
    message: number;
    /** Index of its block. */
    block: number;
    id: unknown;
    name: string;
    /** The call was cut off while it was streamed. */
    partial: boolean;
    /** The call's turn failed. */
    failed: boolean;
    /** All results that belong to the call, in their order in the list. */
    results: ResultRef[];
}
/** A tool result in a list of messages. */
export interface ResultRef {
    message: number;
    /** Index of its block in a user message; -1 when the message itself is the result. */
    block: number;
    id: unknown;
    name: unknown;
    /** Who wrote the result. */
    origin: ResultOrigin;
    call?: CallRef;
}
/** Which result belongs to which call. */
export interface Pairing {
    calls: CallRef[];
    /** Results without a call, in their order in the list. */
    orphans: ResultRef[];
}
/**
 * Finds for every result the call it answers. Shapely messages in, any spelling. Linear in the number of blocks.
 *
 * By occurrence, in order: where an id is used again, a result answers the latest calls that are still open, in their
 * order. A result before its call is given to the next call of its id. Ids that differ only in what OpenClaw's id
 * sanitisers change (`call_1|fc_1`, `functions.exec:0`) match when nothing matches exactly; results and calls without a
 * usable id match only inside the same turn, and only when there is one candidate.
 */
export declare function pair(messages: readonly Message[]): Pairing;
/** Returns the part of an id that OpenClaw's sanitisers do not change; `""` where there is none. */
export declare function looseIdOf(id: unknown): string;
/** Returns the result that is sent for a call: the first real one, else the first doubtful one, else the first. */
export declare function chosenResult({ results }: CallRef): ResultRef | undefined;
