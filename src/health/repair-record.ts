import { randomUUID } from "node:crypto";
import { archiveRecord } from "../store/archives/record-archive.ts";
import { withdrawArchive } from "../store/archives/manifest.ts";
import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { storeError } from "../store/errors.ts";
import { freeLock } from "../store/openclaw/openclaw-lock.ts";
import { loadOpenClawSessions } from "../store/openclaw/openclaw-sessions.ts";
import type { RecordFault } from "../store/sessions/record-fault.ts";
import { targetOf } from "../store/sessions/row-store.ts";

/** The OpenClaw that owns the session; called only when rows are repaired. */
export interface RepairRecordOptions {
  readonly root: () => string;
  readonly stateDirectory: string;
}

/**
 * Makes OpenClaw take messages for a session again. A record in its database is first copied to the archives, whose path
 * is returned; then OpenClaw's own code changes it. Rejects with StoreErrors, and then nothing was changed:
 * `session-busy`, `session-missing`, `not-writable`, `openclaw-unfit`, `openclaw-failed`.
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
  const target = targetOf(openclaw, stateDirectory, session.sessionId, session.agentId);
  if (target === undefined)
    throw storeError("session-missing", {
      expected: `the session ${session.sessionId} in OpenClaw's store`,
      found: "none",
      todo: "The session was deleted meanwhile. Nothing was changed.",
    });
  const { fault, record } = catalog.read(session).refusal ?? {};
  // Somebody else has repaired it meanwhile.
  if (fault === undefined || record === undefined) return undefined;
  const archive = archiveRecord(stateDirectory, session, record);
  let isOther = false;
  await openclaw.patchSessionEntry({
    ...target,
    skipMaintenance: true,
    update: ({ sessionId, updatedAt }) => {
      isOther = sessionId !== record.sessionId || updatedAt !== record.updatedAt;
      return isOther ? null : changesFor(fault);
    },
  });
  if (!isOther && catalog.read(session).refusal === undefined) return archive;
  withdrawArchive(archive, () => isOther);
  if (isOther)
    throw storeError("session-busy", {
      expected: "OpenClaw to leave its record of the conversation as it is meanwhile",
      found: "another record",
      todo: "Run the command again. Nothing was changed.",
    });
  throw storeError("openclaw-failed", {
    expected: `OpenClaw to take messages for session ${session.sessionId} again`,
    found: "a record for which it refuses them",
    todo: `Begin a new session with /new. No message was changed, and a copy of the record is ${archive}.`,
  });
}

/** The fields by which OpenClaw's own function clears the fault. */
function changesFor(fault: RecordFault): object {
  // OpenClaw clears what it knows of restarts for a record that gets another revision, and lets no caller set it.
  return fault === "ended_recovery"
    ? { lifecycleRevision: randomUUID(), status: "failed" }
    : { initializationPending: undefined };
}
