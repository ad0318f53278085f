import { entryPosition, entryMessages } from "../../recovery/summary/leaving.ts";
import { isBoundary } from "../../transcript/entries.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/**
 * Adds to what is to be summarised the messages that the last compaction had kept and this one does not keep. OpenClaw
 * 2026.2 begins behind the last compaction: what was kept would be neither in the summary nor in the history.
 */
export function addStillKept(preparation: JsonObject, path: readonly unknown[]): void {
  const { firstKeptEntryId, messagesToSummarize: given, turnPrefixMessages: prefix } = preparation;
  if (!Array.isArray(given)) return;
  const last = path.findLastIndex(isBoundary);
  const boundary = path[last];
  if (!isObject(boundary) || boundary.type !== "compaction") return;
  const from = entryPosition(path, boundary.firstKeptEntryId);
  const end = entryPosition(path, firstKeptEntryId);
  // What was kept and is kept again is in the history.
  if (from === undefined || end === undefined || end <= last) return;
  const kept = entryMessages(path, from, last);
  const behind = entryMessages(path, last + 1, end).length;
  // Later releases begin where the last compaction does.
  const isGiven = given.length + (Array.isArray(prefix) ? prefix.length : 0) > behind;
  if (isGiven || kept.some((message) => given.includes(message))) return;
  preparation.messagesToSummarize = kept.concat(given);
}
