import { type CallRef, type Pairing } from "./pairing.ts";
import type { Message, Spelling } from "./clean.ts";
import type { Violation } from "./violations.ts";
/** A history in known roles and blocks, with its pairing and the violations of the given history. */
export interface Analysis {
    messages: Message[];
    /** For each of `messages` its index in the given history. */
    origins: number[];
    pairing: Pairing;
    violations: Violation[];
}
/** True for a call that is not sent as a call: truncated or of a failed turn, and without a real result. */
export declare function isDeadCall(call: CallRef): boolean;
/** Shapes and pairs a history, and lists every violation in the order of the messages. */
export declare function analyse(history: readonly unknown[], spelling: Spelling): Analysis;
