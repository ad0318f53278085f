import { randomUUID } from "node:crypto";
import { archiveRecord } from "../store/archives/record-archive.ts";
import { withdrawArchive } from "../store/archives/manifest.ts";
import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { describeError, storeError } from "../store/errors.ts";
import { freeLock } from "../store/openclaw/openclaw-lock.ts";
import { loadOpenClawSessions } from "../store/openclaw/openclaw-sessions.ts";
import type { RecordFault } from "../store/sessions/record-fault.ts";
import { findSessionTarget } from "../store/sessions/row-store.ts";

/** The OpenClaw that owns the session; called only when rows are repaired. */
export interface RepairRecordOptions {
  readonly root: () => string;
  readonly stateDirectory: string;
}

/**
 * Makes OpenClaw take messages for a session again. A record in its database is first copied to the archives; the path
 * of the copy is returned. Then OpenClaw's own code changes the record, unless somebody else has changed it. Rejects
 * with StoreErrors: `session-busy`, `session-missing`, `not-writable`, `openclaw-unfit`, `openclaw-failed`.
 */
export async function repairRecord(
  catalog: Catalog,
  session: SessionSummary,
  { root, stateDirectory }: RepairRecordOptions,
): Promise<string | undefined> {
  if (session.kind === "file") {
    freeLock(session.place);
    return undefined;
  }
  const openclaw = await loadOpenClawSessions(root(), stateDirectory);
  const { fault, record } = catalog.read(session).refusal ?? {};
  // Somebody else has repaired it meanwhile.
  if (fault === undefined || record === undefined) return undefined;
  const archive = archiveRecord(stateDirectory, session, record);
  let isWritten = false;
  try {
    const target = findSessionTarget(openclaw, stateDirectory, session.sessionId, session.agentId);
    if (target !== undefined)
      await openclaw.patchSessionEntry({
        ...target,
        skipMaintenance: true,
        update: ({ sessionId, updatedAt }) => {
          isWritten = sessionId === record.sessionId && updatedAt === record.updatedAt;
          return isWritten ? changesFor(fault) : null;
        },
      });
    if (isWritten && catalog.read(session).refusal === undefined) return archive;
  } catch (error) {
    throw storeError("openclaw-failed", {
      expected: `OpenClaw to change its record of session ${session.sessionId}`,
      found: describeError(error),
      todo:
        "Run the command again when no gateway runs. No message was changed, and a copy of the record " +
        `is ${archive}.`,
      cause: error,
    });
  }
  if (isWritten)
    throw storeError("openclaw-failed", {
      expected: `OpenClaw to take messages for session ${session.sessionId} again`,
      found: "a record for which it refuses them",
      todo: `Begin a new session with /new. No message was changed, and a copy of the record is ${archive}.`,
    });
  withdrawArchive(archive, () => true);
  throw storeError("session-busy", {
    expected: "OpenClaw to leave its record of the conversation as it is meanwhile",
    found: "another record, or none",
    todo: "Run the command again. Nothing was changed.",
  });
}

/** The fields by which OpenClaw's own function clears the fault. */
function changesFor(fault: RecordFault): object {
  switch (fault) {
    // OpenClaw clears what it knows of restarts for a record that gets another revision, and lets no caller set it.
    case "ended_recovery":
      return { lifecycleRevision: randomUUID(), status: "failed" };
    // What OpenClaw's own `/model default` clears, and the lock, with which it refuses that command.
    case "missing_model":
      return Object.fromEntries(OF_THE_MODEL.map((field) => [field, undefined]));
    default:
      return { initializationPending: undefined };
  }
}

/** What a conversation keeps of the model that was chosen for it. */
const OF_THE_MODEL = [
  "providerOverride",
  "modelOverride",
  "modelOverrideSource",
  "modelOverrideRouteResolution",
  "modelSelectionLocked",
  "authProfileOverride",
  "authProfileOverrideSource",
  "contextTokens",
] as const;
