import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { readOrigin } from "../../transcript/origin.ts";

/** What leaves a conversation with a compaction. */
export interface Leaving {
  readonly messages: readonly unknown[];
  /** The newest summary that a model has made of what was before these messages. */
  readonly previous?: string;
}

/**
 * Returns what the entries of a path hold before the first one that is kept. An extract that stands in place of an
 * earlier summary is passed over: the messages behind it are stored, and an extract of an extract says ever less.
 */
export function leaving(path: readonly unknown[], firstKeptEntryId: unknown): Leaving {
  const end = entryPosition(path, firstKeptEntryId) ?? path.length;
  const boundary = path.findLastIndex((entry, at) => at < end && isBoundary(entry, at));
  const entry = boundary < 0 ? undefined : (path[boundary] as JsonObject);
  const start = entry ? (entryPosition(path, entry.firstKeptEntryId) ?? boundary + 1) : 0;
  const messages = entryMessages(path, start, end);
  const { type, summary } = entry ?? {};
  return { messages, ...(type === "compaction" && typeof summary === "string" && { previous: summary }) };
}

/** True for what the messages before it are not read behind; an extract with which a path begins has all there is. */
function isBoundary(entry: unknown, at: number): boolean {
  if (!isObject(entry)) return false;
  const isExtract = readOrigin(entry.details).extract === true;
  return entry.type === "reset" || (entry.type === "compaction" && (at === 0 || !isExtract));
}

/** The place of the entry with this id on a path. */
export function entryPosition(path: readonly unknown[], id: unknown): number | undefined {
  if (typeof id !== "string") return undefined;
  const at = path.findIndex((entry) => isObject(entry) && entry.id === id);
  return at < 0 ? undefined : at;
}

/** What the entries of a path from one place to before another say to a model. */
export function entryMessages(path: readonly unknown[], from: number, to: number): unknown[] {
  return path
    .slice(from, to)
    .map(entryMessage)
    .filter((message) => message !== undefined);
}

/** What an entry says to a model; undefined for one that says nothing, or a summary of others. */
function entryMessage(entry: unknown): unknown {
  if (!isObject(entry)) return undefined;
  if (entry.type === "message") return entry.message;
  if (entry.type === "custom_message") return { role: "custom", content: entry.content };
  return entry.type === "branch_summary" ? { role: "branchSummary", summary: entry.summary } : undefined;
}
