import { type Spelling } from "./clean.ts";
import { type Violation } from "./violations.ts";
/**
 * `remove_orphans`: results without a call are removed (invents the least; the default). `reconstruct`: such a result
 * gets a placeholder call when it has content. `truncate`: the history ends at its last valid point.
 */
export type RepairStrategy = "remove_orphans" | "reconstruct" | "truncate";
/** How a violation was repaired. */
export type RepairAction = "remove_orphan" | "reconstruct_call" | "add_result" | "merge_result" | "move_result" | "rekey" | "replace_with_text" | "remove_skipped_call" | "remove_empty_message" | "convert_block" | "add_user_message" | "truncate";
/** A violation and how it was repaired; indices are those of the given history. */
export interface Repair extends Violation {
    action: RepairAction;
}
/** The outcome of {@link repair}. */
export interface RepairResult {
    /** The given list itself when there was no violation. */
    messages: readonly unknown[];
    repaired: boolean;
    repairs: Repair[];
}
/** How a history is repaired. */
export interface RepairOptions {
    strategy?: RepairStrategy;
    /**
     * `openclaw` also turns every call and result into OpenClaw's own spelling; the default is to keep the stored one.
     */
    spelling?: Spelling;
}
/** Text of the user message before a history that begins with the assistant, which several APIs refuse. */
export declare const OPENING_TEXT = "[Start of the available conversation.]";
/**
 * Repairs a history in the stored form, as the public function of this name does; a history in an API's form is
 * converted to the stored one.
 */
export declare function repair(messages: readonly unknown[], options?: RepairOptions): RepairResult;
/**
 * Repairs a history behind OpenClaw's `limitHistoryTurns`. A valid history is returned as the same object. Same
 * guarantees as {@link repair} with its default strategy.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { validateToolResultPairing } from "openclaw-integrity/transcript";
 *
 * const hello = { role: "user", content: "Hello" };
 * const orphan = { role: "toolResult", toolCallId: "call_gone", toolName: "exec", content: [], isError: false };
 * assert.deepEqual(validateToolResultPairing<object>([hello, orphan]), [hello]);
 * ```
 */
export declare function validateToolResultPairing<T>(messages: T[]): T[];
