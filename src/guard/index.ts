/**
 * What is put inside OpenClaw. Built into one self-contained file; the patched lines call these functions and nothing
 * else. None of them throws (but for the one that keeps a transcript from being deleted), and `OPENCLAW_INTEGRITY=off`
 * makes all of them do nothing.
 *
 * The way of a history, from the store to the provider. It is judged at each place behind which OpenClaw changes it:
 *
 * 1. The rows are read: `loadTranscript`, `repairSessionFile` and `whenIndexed` (load/) see that all of them are.
 * 2. `guardHistory` (gates.ts) stands before OpenClaw's sanitising, which throws on some histories and drops real
 *    results from others: `prepare` gives each call its result, in the form that the API's adapter takes.
 * 3. OpenClaw sanitises, and `limitHistoryTurns` cuts the beginning off, calls from their results as well.
 * 4. `guardSession` (gates.ts) stands behind that: `repair` (`validateToolResultPairing`).
 * 5. The agent adds messages of the turn and calls the model, many times in a run. `GuardedCall` (model-call.ts) stands
 *    around each call: `prepare` again, for what was added, for what a treatment changes, and for another API after a
 *    failover.
 * 6. The adapter makes a request body, and plugins may change it. `onPayload` is the last to see it: `check` and `heal`
 *    judge the body itself, by the API's rules, since the adapter can make an invalid body of valid messages.
 *
 * Each of them returns the same object for a healthy history.
 */
export { archiveBeforeReset } from "./base/archive.ts";
export { freeDeadLock } from "./load/stale-lock.ts";
export { incidentCounts } from "./recovery/incident.ts";
export { indexOutOfOrder } from "./projection/index-out-of-order.ts";
export { loadTranscript } from "./load/load-transcript.ts";
export { guardHistory, guardSession } from "./gates.ts";
export { repairSessionFile } from "./load/session-file.ts";
export { whenIndexed, whenReadable } from "./openclaw/when-indexed.ts";
// For those who apply the gates themselves, and for the release matrix, which runs them out of the patched OpenClaw.
export { repair, validate, validateToolResultPairing } from "../transcript/index.ts";
export { check, heal } from "../wire/heal.ts";
export { prepare } from "../wire/prepare.ts";
