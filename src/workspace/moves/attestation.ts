import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodeSqlite } from "../../base/sqlite/node-sqlite.ts";

/** OpenClaw's state database, since 2026.8. */
const DATABASE = join("state", "openclaw.sqlite");
const BUSY_MS = 5000;
/** OpenClaw takes a note that is older than a day for expired; two days, so that no clock matters. */
const EXPIRED_MS = 48 * 3_600_000;

/** The notes by release; a release has one of the tables. */
const STATEMENTS: readonly string[] = [
  "UPDATE workspace_setup_state SET attested_at_ms = MIN(attested_at_ms, ?1), updated_at = MIN(updated_at, ?1) " +
    "WHERE workspace_key = ?2",
  "UPDATE workspace_attestations SET attested_at_ms = MIN(attested_at_ms, ?1) WHERE workspace_key = ?2",
];

/**
 * Makes OpenClaw look at a workspace anew after its files were moved: its notes about the workspace expire, as they do
 * by themselves after a day. Since 2026.8 OpenClaw notes that a workspace had content, takes one that went back to its
 * beginning for one that vanished (`WorkspaceVanishedError`, measured on 2026.9.6), and refuses every turn. Does
 * nothing where there is no such note; a failure is no failure of the move.
 */
export function expireAttestation(stateDirectory: string, workspace: string): void {
  const file = join(stateDirectory, DATABASE);
  const sqlite = nodeSqlite();
  if (!sqlite || !existsSync(file)) return;
  // The key as OpenClaw makes it.
  const path = workspace.normalize("NFC");
  const key = createHash("sha256")
    .update(process.platform === "win32" ? path.toLowerCase() : path)
    .digest("hex");
  try {
    const database = new sqlite.DatabaseSync(file, { timeout: BUSY_MS });
    try {
      for (const statement of STATEMENTS) quietly(() => database.prepare(statement).run(Date.now() - EXPIRED_MS, key));
    } finally {
      database.close();
    }
  } catch {
    // A database that cannot be opened is OpenClaw's to report.
  }
}

function quietly(work: () => unknown): void {
  try {
    work();
  } catch {
    // A release without this table, or a database that is locked for longer.
  }
}
