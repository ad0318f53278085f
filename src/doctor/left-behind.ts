import { KnownSessions } from "../privacy/holders/known-sessions.ts";
import { leftBehind, type LeftBehind } from "../privacy/left-behind.ts";
import { gatherNames, storeNow } from "../privacy/names.ts";
import type { Catalog } from "../store/index.ts";

/**
 * What is kept here, with words in it, of sessions that OpenClaw has deleted. Nothing where that cannot be told. Never
 * throws.
 */
export function readLeftBehind(stateDirectory: string, catalog: Catalog): LeftBehind[] {
  try {
    const names = gatherNames(stateDirectory, storeNow(stateDirectory, catalog), new KnownSessions(stateDirectory), []);
    return leftBehind(names).filter(({ why, hasWords }) => why === "deleted" && hasWords);
  } catch {
    return [];
  }
}
