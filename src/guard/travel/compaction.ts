import { appendNow, type EntryWriter } from "../../store/openclaw/append-entry.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import type { TravellingManager } from "./history.ts";

/** What a move does about the compaction through which the run sees its history. */
export type CompactionView =
  /** The history is not compacted, or the compaction is on the path to the target. */
  | "unchanged"
  /** The compaction kept the target, and is appended again after the carryover. */
  | { readonly keep: JsonObject }
  /** The target is older than what the compaction kept: the stored messages up to the target are sent. */
  | "undone";

/** Decides what becomes of the last compaction when the conversation moves from the leaf to the target. */
export function compactionView(manager: TravellingManager, targetId: string | null): CompactionView {
  const compaction = manager
    .getBranch()
    .filter(isObject)
    .findLast(({ type }) => type === "compaction");
  if (!compaction) return "unchanged";
  const ids = new Set(
    targetId === null
      ? []
      : manager
          .getBranch(targetId)
          .filter(isObject)
          .map(({ id }) => id),
  );
  if (ids.has(compaction.id)) return "unchanged";
  return ids.has(compaction.firstKeptEntryId) ? { keep: compaction } : "undone";
}

/**
 * Appends the compaction again, so that the next load gives the summary and what it kept, as the run has them. After
 * the carryover: a kill between the two leaves a move whose history is longer. Returns false when that fails; the
 * stored path is then not compacted.
 */
export function keepCompaction(manager: TravellingManager, compaction: JsonObject): boolean {
  try {
    appendNow(manager as unknown as EntryWriter, compaction, undefined, new Map());
    return true;
  } catch (error) {
    logFailure("move", error, "the history is sent without the compaction");
    return false;
  }
}
