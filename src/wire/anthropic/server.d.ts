import { type ReportRule } from "../model.ts";
/** A message of a request. */
export interface SentMessage {
    role: unknown;
    content: unknown;
}
/** True for a call of a server tool or its result. */
export declare function isServerTool(block: unknown): boolean;
/**
 * True when the last message ends with a block of a server tool: the turn is paused, and is sent as it is, so that the
 * server continues it.
 */
export declare function isPaused(messages: readonly unknown[]): boolean;
/**
 * Returns the ids of server calls that no client call has too. A client's result for such an id is no valid result.
 */
export declare function idsOfServer(messages: readonly unknown[]): Set<unknown>;
/** Reports the violations of server tools in messages whose blocks are all known. */
export declare function checkServerTools(messages: readonly unknown[], report: ReportRule): void;
/**
 * Moves each server result behind its call and the client's calls to the end of their message, and turns server calls
 * and results without the other half into text. Returns undefined where there is no violation. Messages without one
 * stay the same objects; a message whose blocks were all moved away has an empty list. A change can cause another
 * violation, hence this is to be repeated; with `all`, every server call and result becomes text, so that none can
 * remain.
 */
export declare function settleServerTools(messages: readonly SentMessage[], all?: boolean): SentMessage[] | undefined;
