import { type Repair } from "../transcript/repair.ts";
/** Options of {@link prepare}. */
export interface PrepareOptions {
    /** Called with repairs, once or twice; not called when there are none. */
    onRepairs?: (repairs: Repair[]) => void;
}
/**
 * Prepares OpenClaw's messages for the adapter of an API, so that the adapter neither throws on them nor loses any of
 * their content: blocks of types that the adapter knows, calls and results in OpenClaw's spelling and next to each
 * other, unique ids. A valid history is returned as the same object; idempotent and deterministic. Rules on the
 * finished body are left to `heal`.
 *
 * @param api OpenClaw's name of the API.
 * @param messages `context.messages` of a model call. A message or block may be any value.
 */
export declare function prepare<T>(api: string, messages: T[], options?: PrepareOptions): T[];
/**
 * Remembers which messages of a growing history need no preparation, so that each call of a run judges only what was
 * added. See JudgedHistory for what is seen of a message that was changed in place.
 */
export declare class PreparedHistory {
    #private;
    /** True when {@link prepare} would return the same list; false proves nothing. Never throws. */
    isPrepared(api: string, messages: readonly unknown[]): boolean;
}
/**
 * True when {@link prepare} would change nothing from this message on, where those before are prepared and have no call
 * or result of the same id; false proves nothing.
 */
export declare function isPreparedFrom(api: string, messages: readonly unknown[], from: number): boolean;
