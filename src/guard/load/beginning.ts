import { isBoundary, isTreeRow } from "../../transcript/entries.ts";
import { isObject, toJson, type JsonObject } from "../../transcript/json/json.ts";
import type { BoundedContext, LoadedTranscript } from "./loaded.ts";

/**
 * OpenClaw's note of what the provider's cache was warm with; each repeats what was sent, and the newest one is read.
 */
const CACHE_NOTE = "openclaw.cache-ttl";

/** Notes that take less of what OpenClaw reads have displaced nothing that is worth the reading of all rows. */
const WORTH = 0.05;

/** Rows of the path in their order, and whether nothing of the conversation is left before them. */
interface Before {
  readonly rows: JsonObject[];
  readonly isWhole: boolean;
}

/**
 * Returns the rows with those of the conversation's beginning that OpenClaw has left out for the size of its own notes:
 * as many as the notes had the room of. Notes among them come without their data. The same object where nothing was
 * displaced.
 */
export function withBeginning<T extends LoadedTranscript>(loaded: T): T {
  const { entries, bounded, readAll } = loaded;
  if (bounded?.truncated !== true || !readAll) return loaded;
  const room = sum(entries.filter(isCacheNote).map(({ data }) => toJson(data).length));
  if (room < sum(entries.map((row) => toJson(row).length)) * WORTH) return loaded;
  const start = entries.findIndex(isTreeRow);
  const summary = findInjectedSummary(entries, start, bounded);
  const first = entries[summary ? start + 1 : start];
  if (!isTreeRow(first)) return loaded;
  const { rows, isWhole } = rowsBefore(first, entries, readAll(), bounded, room);
  if (rows.length === 0) return loaded;
  const isInPlace = summary !== undefined && rows.some(({ id }) => id === summary.id);
  const kept = summary !== undefined && !isInPlace ? [summary] : [];
  const next = [...entries.slice(0, start), ...kept, ...rows, ...entries.slice(summary ? start + 1 : start)];
  const opaqueParents = new Map(bounded.opaqueParents);
  if (summary) {
    opaqueParents.delete(String(first.parentId));
    if (!isInPlace && typeof rows[0]!.parentId === "string") opaqueParents.set(rows[0]!.parentId, String(summary.id));
  }
  return {
    ...loaded,
    entries: next,
    bounded: {
      ...bounded,
      ...(bounded.parents && {
        parents: new Map([...bounded.parents, ...rows.map((row) => [String(row.id), readParentId(row)] as const)]),
      }),
      opaqueParents,
      firstKeptRanges: moveRanges(bounded, entries, next, start + kept.length, rows.length),
      truncated: !isWhole,
    },
  };
}

/** Returns the summary that OpenClaw has put before the rows of the path because its place is further back. */
function findInjectedSummary(
  entries: readonly unknown[],
  start: number,
  { parents }: BoundedContext,
): JsonObject | undefined {
  const [summary, first] = entries.slice(start, start + 2);
  if (!isBoundary(summary) || !isTreeRow(first)) return undefined;
  const parentId = parents?.get(String(first.id)) ?? readParentId(first);
  return parentId === summary.id ? undefined : summary;
}

/** Goes back from the first row to the beginning of the conversation, or to what the newest summary keeps. */
function rowsBefore(
  first: JsonObject,
  entries: readonly unknown[],
  all: readonly unknown[],
  { parents }: BoundedContext,
  room: number,
): Before {
  const byId = new Map(all.filter(isTreeRow).map((row) => [row.id, row]));
  let boundary = entries.findLast(isBoundary);
  let end = boundary && (boundary.firstKeptEntryId ?? boundary.id);
  const rows: JsonObject[] = [];
  let roomLeft = room;
  let parentId: unknown = parents?.get(String(first.id)) ?? readParentId(first);
  for (let isOver = first.id === end; !isOver;) {
    const row = byId.get(parentId);
    // A row that is not there: what stands before it is not known.
    if (!row) return { rows: rows.toReversed(), isWhole: parentId === null };
    byId.delete(parentId);
    const next = isCacheNote(row) ? { ...row, data: {} } : row;
    // OpenClaw has read the newest summary in any case.
    if (row.id !== boundary?.id) roomLeft -= toJson(next).length;
    if (roomLeft < 0) return { rows: rows.toReversed(), isWhole: false };
    rows.push(next);
    if (!boundary && isBoundary(row)) {
      boundary = row;
      end = row.firstKeptEntryId ?? row.id;
    }
    isOver = row.id === end;
    parentId = readParentId(row);
  }
  return { rows: rows.toReversed(), isWhole: true };
}

/** Returns the ranges of what summaries keep, in a list that has `count` rows more from `at` on. */
function moveRanges(
  { firstKeptRanges }: BoundedContext,
  entries: readonly unknown[],
  next: readonly unknown[],
  at: number,
  count: number,
): BoundedContext["firstKeptRanges"] {
  const placeOf = new Map(next.map((row, place) => [isObject(row) ? row.id : undefined, place]));
  return new Map(
    [...firstKeptRanges].map(([id, range]) => {
      const endIndex = placeOf.get(id) ?? range.endIndex + count;
      const isOfFirst = !entries.slice(0, range.startIndex).some((row) => isTreeRow(row) && row.id !== id);
      return [id, { startIndex: Math.min(isOfFirst ? at : range.startIndex + count, endIndex), endIndex }];
    }),
  );
}

function isCacheNote(row: unknown): row is JsonObject {
  return isObject(row) && row.type === "custom" && row.customType === CACHE_NOTE;
}

function readParentId({ parentId }: JsonObject): string | null {
  return typeof parentId === "string" ? parentId : null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
