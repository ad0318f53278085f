import { type JsonObject } from "./json/json.ts";
/**
 * Who wrote a tool result. `invented`: this project, by its origin mark. `doubtful`: the text is one that OpenClaw puts
 * in place of a missing result, but a tool could have returned it too, so that nothing of the result may be lost.
 * `real`: a tool.
 */
export type ResultOrigin = "real" | "doubtful" | "invented";
/**
 * The field in a result's details by which OpenClaw 2026.9 marks the results that it invents. A tool can write into its
 * details too.
 */
export declare const SYNTHETIC_MARK = "openclawSyntheticMissingToolResult";
/** Returns the origin of a result, which is a message of a result role or a block. */
export declare function originOfResult(source: JsonObject): ResultOrigin;
/**
 * True for a result that adds nothing to another one of the same call: an invented one, or OpenClaw's text that there
 * is none.
 */
export declare function addsNothing(source: JsonObject): boolean;
