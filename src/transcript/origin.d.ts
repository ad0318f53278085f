import { type JsonObject } from "./json/json.ts";
/**
 * Origin marks: who wrote which part of a history. Text never proves origin: a person can type a notice of this
 * project, and a model can be asked to repeat one. Messages of this project are marked in a field beside the content,
 * which no model, tool or person in a conversation can write.
 */
/**
 * The field of a message that holds this project's marks. OpenClaw stores the field and sends it to no provider.
 */
export declare const ORIGIN_FIELD = "openclawIntegrity";
/** Kinds of assistant messages of this project; a model wrote at most their beginning. */
export type NoticeKind = 
/** A content filter stopped the answer. */
"stopped"
/** The answer was cut off at a limit. */
 | "cut_short"
/** The history was reset. */
 | "reset"
/** The provider refuses every request. */
 | "refused";
/**
 * What is not sent to a provider again: `results`: the tool results before this message; `all`: all messages before it
 * since the last answer. `history`: the answer was made without the earlier history, which may be sent again.
 */
export type Withheld = "results" | "all" | "history";
/** The outcome that an invented tool result reports: see KnownOutcome. */
export type InventedOutcome = "unknown" | "interrupted" | "not_started";
/** The marks of a message. */
export interface Origin {
    notice?: NoticeKind;
    /** For {@link Origin.notice} `reset`: the id of that reset. */
    resetId?: string;
    withholds?: Withheld;
    /** The next user message was written by the guard: a hint to the agent to find another way. */
    hinted?: true;
    /** The message is a tool result that no tool returned. */
    result?: InventedOutcome;
    /** Hashes of those texts of the message that are tool traffic turned into text. */
    inWords?: readonly string[];
}
/**
 * Returns the marks of a message; none for any other message, whatever its text. Allocates nothing where there is no
 * mark.
 */
export declare function originOf(message: unknown): Origin;
/** Returns a copy of the message with these marks in addition to its own. */
export declare function marked<Message extends JsonObject>(message: Message, origin: Origin): Message;
/** Marks texts of a message as tool traffic turned into text. */
export declare function markedInWords<Message extends JsonObject>(message: Message, texts: readonly string[]): Message;
/**
 * Returns a test whether a text of this message is marked as tool traffic turned into text. The marks are read once,
 * for messages with many texts.
 */
export declare function inWordsOf(message: unknown): (text: string) => boolean;
/** Returns a joined message with the marks of all its parts; later parts win. */
export declare function withJoinedOrigin<Message extends JsonObject>(message: Message, parts: readonly JsonObject[]): Message;
