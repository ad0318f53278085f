import { KnownSessions } from "../privacy/holders/known-sessions.ts";
import { leftBehind, type LeftBehind } from "../privacy/left-behind.ts";
import { gatherNames, storeNow } from "../privacy/names.ts";
import type { Catalog } from "../store/index.ts";

/**
 * Returns the data with text of conversations that openclaw-integrity still keeps of sessions that OpenClaw has
 * deleted. Empty where the data cannot be read. Never throws.
 */
export function readLeftBehind(stateDirectory: string, catalog: Catalog): LeftBehind[] {
  try {
    const names = gatherNames(stateDirectory, storeNow(stateDirectory, catalog), new KnownSessions(stateDirectory), []);
    return leftBehind(names).filter(({ why, hasWords }) => why === "deleted" && hasWords);
  } catch {
    return [];
  }
}
