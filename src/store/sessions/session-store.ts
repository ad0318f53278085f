import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../transcript/json/json.ts";
import { storeError } from "../errors.ts";
import { fileStore } from "./file-store.ts";
import { rowStore } from "./row-store.ts";
import type { SessionStore, StoredSession } from "./stored-session.ts";

/** Which OpenClaw's sessions are opened. */
export interface SessionStoreOptions {
  /** OpenClaw's state directory. */
  readonly stateDirectory: string;
  /**
   * Package folder of the OpenClaw that uses this state: its release decides where sessions are stored, and since
   * 2026.8 only OpenClaw may write them.
   */
  readonly root: string;
}

/** Opens the session store of an OpenClaw. Throws `openclaw-unfit` when OpenClaw must be loaded and cannot be. */
export async function openSessionStore({ stateDirectory, root }: SessionStoreOptions): Promise<SessionStore> {
  return keepsRows(root) ? rowStore(root, stateDirectory) : fileStore(stateDirectory);
}

/** Reads the session with this id or key. Throws `session-missing` when there is none. */
export function findSession(store: SessionStore, idOrKey: string, agentId?: string): StoredSession {
  const found = store.find(idOrKey, agentId);
  if (found !== undefined) return found.open();
  throw storeError("session-missing", {
    expected: `a session or conversation ${idOrKey}${agentId === undefined ? "" : ` of agent ${agentId}`}`,
    found: "none with this id or key in OpenClaw's store",
    todo:
      "If it was deleted, a backup may have it. If it is another OpenClaw's, set OPENCLAW_STATE_DIR and name that " +
      "one with --path. Nothing was changed.",
  });
}

/** Whether the release in `root` stores sessions in SQLite, as all do since 2026.8. */
export function keepsRows(root: string): boolean {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [year = 0, month = 0] = isObject(manifest) ? String(manifest.version).split(".").map(Number) : [];
  return year > 2026 || (year === 2026 && month >= 8);
}
