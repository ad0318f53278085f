/** OpenClaw's text for a missing result (2026.1 to 2026.9). */
export declare const MISSING_RESULT_TEXT = "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair.";
/** Result of a call whose result was never recorded: neither "failed" nor "did not run" would be true. */
export declare const UNKNOWN_OUTCOME = "[No result of this tool call was recorded. Its outcome is unknown: it may have run. Check before repeating it.]";
/** Result of a call that began and did not return, by the journal. */
export declare const INTERRUPTED_CALL = "[This tool call was interrupted while it was being carried out. Its outcome is unknown: it may have run, in part or to its end. Check before repeating it.]";
/** Result of a call that never began, by the journal. */
export declare const NOT_STARTED_CALL = "[This tool call was not started: the run ended before it. Nothing of it was done.]";
/** Tool name of the call that `reconstruct` inserts before a result whose own call is lost. */
export declare const RECONSTRUCTED_TOOL = "unknown_tool";
/** Returns the text in place of a call that was cut off while the model was writing it. */
export declare function interruptedCallText(name: string): string;
/** How many characters of a call's input are quoted in a text on the call. */
export declare const QUOTED_INPUT = 500;
/** A call whose only result may be one that OpenClaw invented. */
export interface DoubtfulCall {
    name: string;
    /** Undefined for a call that was cut off while the model was writing it. */
    input: unknown;
    /** The text of its recorded result; undefined where that text only states that there is no result. */
    recorded: string | undefined;
}
/**
 * Returns the text in place of a call and its doubtful result, with both quoted, so that nothing is lost in case a tool
 * has returned the result.
 */
export declare function doubtfulCallText({ name, input, recorded }: DoubtfulCall): string;
/**
 * Returns the readable text of any value in place of a block: its text where it has no other content, otherwise its
 * JSON. Left out, with a remark, are only the bytes of encoded files, and the rest of a very long value that nests too
 * deeply.
 */
export declare function textOf(value: unknown): string;
/**
 * Returns the text of a result's content: a string unchanged, or the joined texts of a list of text blocks. The JSON of
 * the whole list when a block in it is no text, and {@link textOf} any other value.
 */
export declare function plainText(content: unknown): string;
