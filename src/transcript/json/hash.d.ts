/**
 * Returns an id of nine characters of [a-z0-9], the same for the same text. The strictest API (Mistral) accepts exactly
 * nine alphanumerics, so that such an id is valid everywhere.
 */
export declare function shortId(text: string): string;
/** Returns an id for the `occurrence`-th use of `original` that is not in `taken`, and adds the id there. */
export declare function freshId(original: string, occurrence: number, taken: Set<string>): string;
