/** The tree of a session for a move, out of OpenClaw's session manager. */
import { History } from "../../timetravel/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { hasMethods, type SessionManager } from "../openclaw/session.ts";
import { whenReadable } from "../openclaw/when-indexed.ts";

/** A session manager that a run can move in. */
export type TravellingManager = SessionManager & {
  getBranch: (fromId?: string) => readonly unknown[];
  getEntries: () => readonly unknown[];
  getLeafId: () => string | null;
  branch: (entryId: string) => void;
  resetLeaf: () => void;
  appendCustomMessageEntry: (
    customType: string,
    content: string | readonly object[],
    display: boolean,
    details?: unknown,
  ) => unknown;
  buildSessionContext: () => { messages: unknown[] };
  /** Since 2026.8: identifies the session in OpenClaw's database. */
  getSessionTarget?: () => unknown;
  /** Since 2026.8, where a run loads only its own branch: loads all others too. */
  ensureCompletePersistedHistory?: () => void;
};

/** The session manager's static method that reads a part of a session, in releases that keep an index. */
interface BoundedReader {
  openBounded?: (target: unknown, limits: { maxBytes: number; maxEvents: number }) => unknown;
}

const NEEDED = [
  "getBranch",
  "getEntries",
  "getLeafId",
  "branch",
  "resetLeaf",
  "appendCustomMessageEntry",
  "buildSessionContext",
] as const;

/** True when a session manager has all methods that a move needs. */
export function isTravelling(manager: SessionManager | undefined): manager is TravellingManager {
  return hasMethods<TravellingManager>(manager, NEEDED);
}

/** Returns the tree of the entries that the session manager has loaded, with the leaf or another entry as its end. */
export function toHistory(manager: TravellingManager, leafId: string | null = manager.getLeafId()): History {
  return new History(manager.getEntries().filter(isObject), leafId);
}

/** Makes the session manager load abandoned branches as well. Returns false when it already holds all entries. */
export function completeHistory(manager: TravellingManager): boolean {
  if (typeof manager.ensureCompletePersistedHistory !== "function") return false;
  manager.ensureCompletePersistedHistory();
  return true;
}

/**
 * Waits until OpenClaw's index of the session contains the entries of a move, which OpenClaw reads for the next append.
 * Where the patch updates the index in the transaction of the append (`session-projection`), that is at once; 2026.8.1
 * to 2026.9.5 update it after the commit.
 */
export async function whenMoveIsIndexed(manager: TravellingManager): Promise<void> {
  const reader = (manager as { constructor?: BoundedReader }).constructor;
  const target: unknown = manager.getSessionTarget?.();
  if (typeof reader?.openBounded !== "function" || target === undefined || target === null) return;
  await whenReadable(() => reader.openBounded!(target, { maxBytes: 1024, maxEvents: 1 }));
}
