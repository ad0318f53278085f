import { join } from "node:path";
import { nodeSqlite } from "../../base/sqlite/node-sqlite.ts";

/** OpenClaw 2026.9 takes an update whose record has not changed for so long for abandoned. */
const ABANDONED_MS = 1_800_000;
/** A writer keeps the database locked for shorter; the gateway answers nobody meanwhile. */
const BUSY_TIMEOUT_MS = 100;

/**
 * Whether `openclaw update` is at work on this state, by the record that OpenClaw keeps since 2026.9. Its updater
 * starts the new gateway and then verifies it, so a gateway that serves already may still be in an update. False where
 * the release keeps no record, and where the record cannot be read.
 */
export function isUpdateRunning(stateDirectory: string, now: number = Date.now()): boolean {
  const file = join(stateDirectory, "state", "openclaw.sqlite");
  try {
    const sqlite = nodeSqlite();
    if (sqlite === undefined) return false;
    const database = new sqlite.DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return (
        database
          .prepare("SELECT 1 FROM update_runs WHERE status = 'running' AND updated_at_ms > ? LIMIT 1")
          .get(now - ABANDONED_MS) !== undefined
      );
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}
