/** A call in a Gemini body that has no response yet. */
export interface OpenCall {
    readonly id: unknown;
    readonly name: unknown;
}
/** The calls that wait for their responses, with look-ups by id, name and turn; linear in the number of calls. */
export declare class OpenCalls {
    #private;
    add({ id, name }: OpenCall | Readonly<Record<string, unknown>>, turn: number): void;
    /** Takes the first open call with this id. */
    takeById(id: unknown): OpenCall | undefined;
    /** Takes the first open call with this name. */
    takeNamed(name: unknown): OpenCall | undefined;
    /** Takes the first open call that a response with this id and name answers; a missing id matches any. */
    takeAnswered(id: unknown, name: unknown): OpenCall | undefined;
    /** Returns the open calls of a turn, in their order; pass each one that is used to {@link take}. */
    ofTurn(turn: number): OpenCall[];
    take(call: OpenCall): OpenCall;
}
