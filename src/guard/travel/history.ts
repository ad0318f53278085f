import { History } from "../../timetravel/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { whenReadable } from "../openclaw/when-indexed.ts";

/** A session manager that a run can move in. */
export type TravellingManager = SessionManager & {
  getBranch: (fromId?: string) => readonly unknown[];
  getEntries: () => readonly unknown[];
  getLeafId: () => string | null;
  branch: (entryId: string) => void;
  resetLeaf: () => void;
  appendCustomMessageEntry: (customType: string, content: string, display: boolean, details?: unknown) => unknown;
  buildSessionContext: () => { messages: unknown[] };
  /** From 2026.8: where the session is in OpenClaw's database. */
  getSessionTarget?: () => unknown;
  /** From 2026.8: a run loads no branch but its own. */
  ensureCompletePersistedHistory?: () => void;
};

/** What can be read of a session by itself, in releases that keep an index of it. */
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

/** Whether it has what a move needs. */
export function isTravelling(manager: SessionManager | undefined): manager is TravellingManager {
  return (
    manager !== undefined &&
    NEEDED.every((name) => typeof (manager as unknown as Record<string, unknown>)[name] === "function")
  );
}

/** The tree of the session as its manager has it loaded, up to its leaf or another entry. */
export function historyOf(manager: TravellingManager, leafId: string | null = manager.getLeafId()): History {
  return new History(manager.getEntries().filter(isObject), leafId);
}

/** Has the manager load the branches that were left too. False where it always has them. */
export function completeHistory(manager: TravellingManager): boolean {
  if (typeof manager.ensureCompletePersistedHistory !== "function") return false;
  manager.ensureCompletePersistedHistory();
  return true;
}

/**
 * Waits until OpenClaw's index of the session has what was appended out of order: it looks there for what is said next.
 * Where the patch brings the index up to date in the same transaction that is at once (`session-projection`); 2026.8.1
 * to 2026.9.5 do it behind the commit.
 */
export async function whenMoveIsIndexed(manager: TravellingManager): Promise<void> {
  const reader = (manager as { constructor?: BoundedReader }).constructor;
  const target: unknown = manager.getSessionTarget?.();
  if (typeof reader?.openBounded !== "function" || target === undefined || target === null) return;
  await whenReadable(() => reader.openBounded!(target, { maxBytes: 1024, maxEvents: 1 }));
}
