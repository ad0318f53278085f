import { History } from "../timetravel/index.ts";
import { isObject } from "../transcript/json.ts";
import type { SessionManager } from "./session.ts";

/** A session manager that a run can move in. */
export type TravellingManager = SessionManager & {
  getBranch: (fromId?: string) => readonly unknown[];
  getEntries: () => readonly unknown[];
  getLeafId: () => string | null;
  branch: (entryId: string) => void;
  resetLeaf: () => void;
  appendCustomMessageEntry: (customType: string, content: string, display: boolean, details?: unknown) => unknown;
  buildSessionContext: () => { messages: unknown[] };
  /** From 2026.8: a run loads no branch but its own. */
  ensureCompletePersistedHistory?: () => void;
};

const NEEDED = ["getBranch", "getEntries", "getLeafId", "branch", "resetLeaf", "appendCustomMessageEntry", "buildSessionContext"] as const;

/** Whether it has what a move needs. */
export function isTravelling(manager: SessionManager | undefined): manager is TravellingManager {
  return manager !== undefined && NEEDED.every((name) => typeof (manager as unknown as Record<string, unknown>)[name] === "function");
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
