/**
 * The guard: the code that the patch adds to OpenClaw, built into one self-contained file. The inserted lines call only
 * functions of the first group of exports. None of these throws, except `archiveBeforeReset`, which throws to keep a
 * transcript from being deleted. With `OPENCLAW_INTEGRITY=off` they change nothing; the second group has no switch.
 *
 * The way of a history, from the store to the provider. The history is judged anew wherever OpenClaw has changed it:
 *
 * 1. OpenClaw reads the rows. `loadTranscript` and `repairSessionFile` (load/), `whenIndexed` and `whenReadable`
 *    (openclaw/when-indexed.ts) make sure that it reads all of them.
 * 2. `guardHistory` (gates.ts) runs before OpenClaw's sanitising, which throws on some histories and drops real results
 *    from others. `prepare` puts each result behind its call and uses the spelling that the API's adapter knows.
 * 3. OpenClaw sanitises, and `limitHistoryTurns` drops the oldest turns, which can separate calls from their results.
 * 4. `guardSession` (gates.ts) runs behind the limit and calls `repair` (`validateToolResultPairing`).
 * 5. The agent adds messages and calls the model, many times in a run. `GuardedCall` (model-call.ts) calls `prepare`
 *    before each call: for the new messages, for the treatments, and for another API after a failover.
 * 6. The adapter builds the request body, and plugins may change the body. `onPayload` runs last: `check` and `heal`
 *    judge the body by the API's rules, because the adapter can build an invalid body from valid messages.
 *
 * Each step returns the same object for a valid history.
 */
import { validate } from "../transcript/validate.ts";
import { check, heal } from "../wire/heal.ts";
import { prepare } from "../wire/prepare.ts";
import { noteLoaded } from "./base/loaded.ts";

export { archiveBeforeReset } from "./base/archive.ts";
export { freeDeadLock } from "./load/dead-lock.ts";
export { noteAccepted } from "./inbox/accepted.ts";
export { incidentCounts } from "./recovery/incident.ts";
export { indexOutOfOrder } from "./projection/index-out-of-order.ts";
export { loadTranscript } from "./load/load-transcript.ts";
export { guardHistory, guardSession } from "./gates.ts";
export { repairSessionFile } from "./load/session-file.ts";
export { whenIndexed, whenReadable } from "./openclaw/when-indexed.ts";
// For callers that apply the gates themselves, and for the release matrix, which runs the gates of a patched OpenClaw.
export { repair, validateToolResultPairing } from "../transcript/repair.ts";
export { check, heal, prepare, validate };

// For the plugin, which asks the guard of its own process.
noteLoaded(import.meta.url, { check, heal, prepare, validate });
