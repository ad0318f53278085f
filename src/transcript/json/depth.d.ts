/**
 * JSON.stringify, structuredClone and most other code that walks values recurse: they overflow the stack on JSON of
 * some two to four thousand levels, which JSON.parse reads without an error. The gates replace everything deeper than
 * this bound; no real tool call is that deep.
 */
export declare const MAX_DEPTH = 200;
/** How deep a whole message may be: a call's arguments are four levels down in the message. */
export declare const MAX_MESSAGE_DEPTH: number;
/** No list in a message is longer; a longer one has a `length` without the items. */
export declare const MAX_ITEMS = 10000000;
/**
 * True when `value` nests deeper than `limit` containers, contains itself, cannot be read to the end or holds a bigint,
 * with which JSON.stringify throws. Allocates nothing for a value parsed from JSON; never throws; takes time in proportion to the number of containers, also where
 * they are shared. Recursive, hence `limit` must be small.
 */
export declare function isDeeperThan(value: unknown, limit: number): boolean;
/**
 * Returns why JSON.stringify would throw, or not write the whole value; undefined for a value that is no deeper than
 * `limit`. Of several reasons the first one that a walk meets.
 */
export declare function whyNoJson(value: unknown, limit: number): "bigint" | "unreadable" | "deep" | undefined;
/** True when JSON.stringify ends with this value in reasonable time, or throws an error of the value's own. */
export declare function isPlainTree(value: unknown): boolean;
