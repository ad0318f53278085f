import { type Spelling } from "./clean.ts";
/**
 * True when {@link analyse} would find no violation. The fast path of every valid request: one pass, nothing is built.
 * Returns false for some valid histories too (results far from the order of many calls); the caller then analyses.
 */
export declare function looksHealthy(history: readonly unknown[], spelling: Spelling): boolean;
/**
 * The same for a history whose first `from` messages look healthy by themselves; `ids` are those of their calls. The ids
 * of the others are added; some of them too when the answer is false.
 */
export declare function looksHealthyFrom(history: readonly unknown[], spelling: Spelling, from: number, ids: Set<string>): boolean;
