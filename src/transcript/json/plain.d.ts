/**
 * Copies any value to plain JSON of at most `limit` levels; deeper values are replaced by {@link deepWords}. A
 * bigint becomes its digits, a value without JSON a text on what it is. For a value whose getters throw, or that
 * contains itself. Deterministic. Never throws.
 */
export declare function plainCopy(value: unknown, limit?: number): unknown;
/**
 * Replaces everything deeper than `limit` levels by {@link deepWords}; all other parts stay the same objects. Never
 * throws.
 */
export declare function withoutDepth(value: unknown, limit?: number): unknown;
/**
 * Returns the items with a {@link plainCopy} of each that is no JSON or nests too deeply, and the indices of these.
 * Throws `error` when there are none, since the error has another cause then.
 */
export declare function asJson(items: readonly unknown[], error: unknown): {
    readonly items: unknown[];
    readonly copied: number[];
};
/** True for a value that JSON.stringify accepts and writes in reasonable time. */
export declare function isJson(value: unknown): boolean;
