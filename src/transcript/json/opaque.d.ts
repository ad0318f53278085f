/**
 * Returns in a text what a value is that JSON would write as `{}`: a stream, a response of `fetch`, a generator, a
 * promise, an error (with its message). Also for a stream of Node, of whose JSON only its own state is a part.
 * Undefined for a plain object, a list, bytes, and everything that JSON can write. Never throws.
 */
export declare function opaqueText(value: object): string | undefined;
