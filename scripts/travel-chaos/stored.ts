import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findSummary, openCatalog } from "../../src/store/index.ts";
import { type JsonObject, isObject } from "../../src/transcript/json/json.ts";

/**
 * What is stored of a conversation at one moment. Read from the files themselves; neither OpenClaw nor the guard takes
 * part.
 */
export interface Stored {
  readonly rows: readonly JsonObject[];
  /** 2026.9.6 and its like: OpenClaw's index of the session waits to be rebuilt. Undefined where there is no index. */
  readonly needsRebuild?: boolean;
}

/** Reads a conversation; no process may be writing to it. */
export function readStored(stateDir: string, sessionId: string): Stored {
  const catalog = openCatalog(stateDir);
  try {
    const { rows } = catalog.read(findSummary(catalog, sessionId));
    const needsRebuild = readNeedsRebuild(
      join(stateDir, "agents", "main", "agent", "openclaw-agent.sqlite"),
      sessionId,
    );
    return { rows: rows.filter(isObject), ...(needsRebuild !== undefined && { needsRebuild }) };
  } finally {
    catalog.close();
  }
}

function readNeedsRebuild(file: string, sessionId: string): boolean | undefined {
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database
      .prepare("SELECT needs_rebuild FROM session_transcript_index_state WHERE session_id = ?")
      .get(sessionId);
    return row === undefined ? undefined : row["needs_rebuild"] !== 0;
  } finally {
    database.close();
  }
}
