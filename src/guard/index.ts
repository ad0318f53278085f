/**
 * What is put inside OpenClaw. Built into one self-contained file; the patched lines call these functions and nothing
 * else. None of them throws (but for the one that keeps a transcript from being deleted), and `OPENCLAW_INTEGRITY=off`
 * makes all of them do nothing.
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
