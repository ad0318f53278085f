/** Blocks of Anthropic's API that OpenClaw's store does not have; used for requests and by the library. */
/** Calls of tools that the server runs itself. */
export declare const SERVER_CALLS: ReadonlySet<string>;
/** Results of those calls; each is in an assistant message and names its call in `tool_use_id`. */
export declare const SERVER_RESULTS: ReadonlySet<string>;
/** All blocks that the server makes and requires back unchanged. */
export declare const SERVER_BLOCKS: ReadonlySet<string>;
/** Returns the type of the call that a result of this type answers. */
export declare function callTypeFor(resultType: unknown): string;
