import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/**
 * What OpenClaw keeps beside a transcript and refuses every message for, before it reads the history. Measured in
 * gateways of 2026.9.6, stock and patched (`ended_recovery`, `unfinished_setup`, `missing_model`), and of 2026.2.3,
 * stock (`stuck_lock`).
 */
export type RecordFault = "ended_recovery" | "unfinished_setup" | "missing_model" | "stuck_lock";

/** Why OpenClaw refuses every message of a session. */
export interface Refusal {
  readonly fault: RecordFault;
  /** OpenClaw's record of the conversation, where that is the reason. */
  readonly record?: JsonObject;
}

/** OpenClaw gives up a turn that a restart has cut off after this many attempts to resume it. */
const MAX_ATTEMPTS = 3;
/** No setup of a session takes longer. */
const SETUP_MS = 60 * 60_000;
/** Fields of a session that is another program's, which alone can set it up or choose its model. */
const TAKEN_OVER = ["agentHarnessId", "pluginOwnerId", "acpSessionBinding", "cliSessionBindings"] as const;
/** OpenClaw's harness of its own. */
const OWN_HARNESS = "openclaw";
/** What OpenClaw records of a run that ended because its model is unknown to it, or to the provider. */
const NO_SUCH_MODEL = "configured model is unavailable";

/**
 * Returns the fault of OpenClaw's record of a conversation (since 2026.8). A conversation that a person has put away,
 * or has resumed in another session, is refused on purpose.
 */
export function recordFaultIn(record: unknown, now: number): RecordFault | undefined {
  if (!isObject(record) || record.archivedAt !== undefined) return undefined;
  if (hasEndedRecovery(record)) return "ended_recovery";
  if (hasUnfinishedSetup(record, now)) return "unfinished_setup";
  return hasMissingModel(record) ? "missing_model" : undefined;
}

/** Whether OpenClaw has given up resuming the conversation, or gives it up at its next start. */
function hasEndedRecovery({ mainRestartRecovery: recovery, status, abortedLastRun }: JsonObject): boolean {
  if (!isObject(recovery)) return false;
  const { tombstone, reservation, chargedAttempts, startedAttempt = 0 } = recovery;
  if (isObject(tombstone))
    return tombstone.recoveredSessionId === undefined && tombstone.recoveredSessionKey === undefined;
  return (
    status === "running" &&
    abortedLastRun === true &&
    // An attempt is under way.
    reservation === undefined &&
    Number(chargedAttempts) - Number(startedAttempt) >= MAX_ATTEMPTS
  );
}

/** Whether nobody sets the session up any more: OpenClaw removes a session whose setup fails, unless it is killed. */
function hasUnfinishedSetup(record: JsonObject, now: number): boolean {
  const { initializationPending, updatedAt } = record;
  return (
    initializationPending === true &&
    typeof updatedAt === "number" &&
    now - updatedAt > SETUP_MS &&
    !isTakenOver(record)
  );
}

/**
 * Whether the last message was refused because the model does not exist that somebody has chosen for the conversation.
 * OpenClaw itself goes back to the default only where it has chosen the model (`auto`), and keeps the choice over /new.
 */
function hasMissingModel(record: JsonObject): boolean {
  const { modelOverride, modelOverrideSource, modelSelectionLocked, status, lastRunError } = record;
  return (
    typeof modelOverride === "string" &&
    modelOverrideSource !== "auto" &&
    status === "failed" &&
    typeof lastRunError === "string" &&
    lastRunError.includes(NO_SUCH_MODEL) &&
    !(modelSelectionLocked === true && isTakenOver(record))
  );
}

function isTakenOver(record: JsonObject): boolean {
  return TAKEN_OVER.some(
    (field) => record[field] !== undefined && !(field === "agentHarnessId" && record[field] === OWN_HARNESS),
  );
}
