/**
 * Judges one history again and again while it grows: only messages behind those that were found healthy before are
 * judged, and those that are no longer the same.
 *
 * A message is the same when it is the same object with the same values in every field that the rules read. Of values
 * inside of a call's arguments, a result's details and fields that no rule names, only the rule that a value nests not
 * too deeply depends: such a value that somebody changes in place is not seen here. The finished body is judged whole.
 * OpenClaw 2026.9 copies the messages of users for each call, which are judged anew; OpenClaw 2026.2 copies all
 * messages, so that nothing is remembered.
 */
export declare class JudgedHistory {
    #private;
    /**
     * The same as `looksHealthy` with OpenClaw's own spelling, for a history that has also to be fit otherwise. `isFit` is
     * asked for messages from the end of the history, or for one of the others; a result is fit by its name and its
     * call's.
     */
    looksHealthy(history: readonly unknown[], isFit: (messages: unknown[]) => boolean): boolean;
}
