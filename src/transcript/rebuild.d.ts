import { type CallRef, type ResultRef } from "./pairing.ts";
import { type Message } from "./clean.ts";
/**
 * Returns the assistant message with the new ids of its calls and without calls that are not sent; empty when nothing
 * is left. A failed turn in which a tool has run is marked as finished: the adapters would leave out the turn, and the
 * result would have no call. For doubtful calls of a failed turn a message with their text follows.
 */
export declare function rewriteAssistant(message: Message, { messages, calls, ids }: Pick<Frame, "messages" | "calls" | "ids">): Message[];
/** True for a call that is not sent as a call, but has a result that a tool may have returned. */
export declare function isDoubtful(call: CallRef): boolean;
interface Frame {
    messages: readonly Message[];
    /** Index of the assistant message. */
    index: number;
    /** The calls of this message that are sent. */
    calls: readonly CallRef[];
    ids: Map<CallRef, string>;
    /** All results, by the index of their message. */
    resultsAt: Map<number, ResultRef[]>;
    /** Indices of messages that are in the output already; {@link frameMessages} adds those that it has placed whole. */
    settled: Set<number>;
}
/**
 * Returns the messages behind an assistant message: one result for each of its calls, in stored order, missing ones
 * last. Result messages come first; result blocks of user messages follow in one user message.
 */
export declare function frameMessages(frame: Frame): Message[];
/** Returns the message without its result blocks; the same message when it has none, undefined when nothing is left. */
export declare function withoutBlocks(message: Message, results: readonly ResultRef[]): Message | undefined;
/** Makes a placeholder for the lost call of an orphaned result; returns the call and the result behind it. */
export declare function placeholderCall(message: Message, orphan: ResultRef, taken: Set<string>): Message[];
export {};
