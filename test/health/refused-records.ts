/** Records of conversations as OpenClaw 2026.9.6 stores them, for which its gateway refuses every message. */
import type { DatabaseSync } from "node:sqlite";
import type { RecordFault } from "../../src/store/sessions/record-fault.ts";

const HOUR = 3_600_000;

/** The record of an attempt to resume what a restart has cut off. */
export const cycle = (fields: object): object => ({
  mainRestartRecovery: { cycleId: "cycle-1", revision: 4, chargedAttempts: 3, ...fields },
});
export const interrupted = { status: "running", abortedLastRun: true };
export const runs = { restartRecoveryRuns: [{ runId: "run-1", lifecycleGeneration: "generation-1" }] };

/** A record, the fault that it has, and words of OpenClaw's refusal. */
export interface RefusedRecord {
  readonly name: string;
  readonly fault: RecordFault;
  readonly said: string;
  readonly record: object;
}

/** A conversation whose model does not exist, after a message that was refused for it. */
export const pinned = {
  providerOverride: "gone",
  modelOverride: "gone-model",
  modelOverrideSource: "user",
  status: "failed",
  lastRunError: "⚠️ The configured model is unavailable from the pro ... nt. This needs a config update",
};

const ENDED = { fault: "ended_recovery", said: "ended during restart recovery" } as const;
const PINNED = { fault: "missing_model", said: "configured model is unavailable" } as const;
const tombstone = { tombstone: { reason: "three attempts" } };

export const REFUSED: readonly RefusedRecord[] = [
  { name: "given up after a restart", ...ENDED, record: { status: "failed", ...runs, ...cycle(tombstone) } },
  {
    name: "given up after a restart, with a locked model",
    ...ENDED,
    record: { status: "failed", modelSelectionLocked: true, ...cycle(tombstone) },
  },
  { name: "as often resumed as OpenClaw tries", ...ENDED, record: { ...interrupted, ...cycle({}) } },
  {
    name: "never set up",
    fault: "unfinished_setup",
    said: "still initializing",
    record: { initializationPending: true, updatedAt: Date.now() - 2 * HOUR },
  },
  { name: "with a chosen model that does not exist", ...PINNED, record: pinned },
  {
    name: "with a locked model that does not exist",
    ...PINNED,
    record: { ...pinned, modelSelectionLocked: true, agentHarnessId: "openclaw" },
  },
];

/** Puts fields over the record of a conversation, as OpenClaw's writer does, while no gateway runs. */
export function putRecord(database: DatabaseSync, key: string, fields: object): void {
  const record = { ...(JSON.parse(readStoredRecord(database, key)) as object), ...fields };
  database
    .prepare(
      `UPDATE session_nodes SET entry_json = ?1, updated_at = json_extract(?1, '$.updatedAt'),
         status = json_extract(?1, '$.status'), archived_at = json_extract(?1, '$.archivedAt') WHERE session_key = ?2`,
    )
    .run(JSON.stringify(record), key);
  // A trigger marks a record that was written as one to be checked.
  database.prepare("UPDATE session_nodes SET entry_valid = 1 WHERE session_key = ?").run(key);
}

/** The record of a conversation, as it is stored. */
export function readStoredRecord(database: DatabaseSync, key: string): string {
  return String(
    database.prepare("SELECT entry_json FROM session_nodes WHERE session_key = ?").get(key)?.["entry_json"],
  );
}
