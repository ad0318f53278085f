import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodeSqlite } from "../../base/node-sqlite.ts";

/** OpenClaw's state database, since 2026.8. */
const DATABASE = join("state", "openclaw.sqlite");
const BUSY_MS = 5000;

/**
 * Makes OpenClaw look at a workspace anew after its files were moved. Since 2026.8 it notes for a day that a workspace
 * had content, takes one that went back to its beginning for one that vanished (`WorkspaceVanishedError`), and refuses
 * every turn. Does nothing where there is no such note; a failure is no failure of the move.
 */
export function forgetAttestation(stateDirectory: string, workspace: string): boolean {
  const file = join(stateDirectory, DATABASE);
  const sqlite = nodeSqlite();
  if (!sqlite || !existsSync(file)) return false;
  try {
    const database = new sqlite.DatabaseSync(file, { timeout: BUSY_MS });
    try {
      const { changes } = database
        .prepare(
          "UPDATE workspace_setup_state SET attested_at_ms = NULL, attestation_updated_at_ms = NULL WHERE workspace_path = ? AND attested_at_ms IS NOT NULL",
        )
        .run(workspace.normalize("NFC"));
      return Number(changes) > 0;
    } finally {
      database.close();
    }
  } catch {
    // A release without this table, or a database that is locked for longer.
    return false;
  }
}
