/**
 * Keeps the marks of Anthropic's prompt cache (`cache_control`) whose blocks are dropped or converted: without the mark
 * a request pays for all content before it.
 */
import { type JsonObject } from "../../transcript/json/json.ts";
import { type Block } from "../model.ts";
/**
 * Moves the mark of an empty block, which is dropped, to the block before; returns the same list where there is none.
 */
export declare function keepMarks(messages: readonly unknown[]): readonly unknown[];
/** Converts a block with a mark that is sent as text to a text block with the mark; undefined for any other block. */
export declare function markedText(block: JsonObject): Block | undefined;
