/** True when no string in the value has a lone surrogate: half a character, left by a careless cut. */
export declare function isWellFormed(value: unknown, limit?: number): boolean;
/**
 * Replaces every lone surrogate in the value, since APIs refuse such text; returns the value itself when there is none.
 * Byte arrays, and levels deeper than the gates let through, are skipped.
 */
export declare function wellFormed<T>(value: T, limit?: number): T;
