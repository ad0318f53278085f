import {
  findHeader,
  isCurrentHeader,
  isLostRow,
  isTreeRow,
  makeHeader,
  readableRow,
  repairEntries,
  type EntryViolation,
} from "../../transcript/entries.ts";
import type { JsonObject } from "../../transcript/json/json.ts";
import { mapChanged } from "../../transcript/json/list.ts";
import { logFailure, logLine } from "../base/log.ts";
import { sessionMemory } from "../base/memory.ts";
import { isEnabled } from "../base/switch.ts";
import { withBeginning } from "./beginning.ts";
import type { BoundedContext, LoadedTranscript } from "./loaded.ts";

/** A path of fewer rows is compared with the whole transcript: lost row order leaves such a short path. */
const SHORT_PATH = 4;

/** Violations that make OpenClaw silently drop rows from the active path. */
const TREE_VIOLATIONS = new Set<EntryViolation>(["child_before_parent", "duplicate_entry_id", "unknown_parent"]);

/**
 * Makes loaded rows acceptable to OpenClaw since 2026.8, before it refuses them by their header: adds a missing header
 * or updates an old one, brings messages that OpenClaw would silently skip into a shape that it reads, connects rows
 * that fell off the tree, and adds the beginning of a conversation that OpenClaw's notes have displaced. Writes
 * nothing. Valid rows are returned as the same object. Never throws.
 */
export function loadTranscript<T extends LoadedTranscript>(loaded: T): T {
  if (!isEnabled()) return loaded;
  try {
    if (!Array.isArray(loaded.entries) || loaded.entries.length === 0) return loaded;
    if (loaded.entries.some(isLostRow) || isCutOff(loaded)) return fromAllRows(loaded);
    return withSoundRows(withBeginning(loaded));
  } catch (error) {
    logFailure("session load", error, "the rows are used unchanged");
    return loaded;
  }
}

/** True when the path does not reach back to the first message, although no rows were left out because of size. */
function isCutOff({ entries, bounded, readAll, sessionId }: LoadedTranscript): boolean {
  if (!bounded || !readAll || bounded.truncated === true) return false;
  const tree = entries.filter(isTreeRow);
  const first = tree[0];
  if (bounded.parents && typeof first?.parentId === "string" && !bounded.parents.has(first.parentId)) return true;
  const isShort = tree.length < SHORT_PATH;
  const doubtful = isShort ? tree : findOrphans(tree, bounded);
  if (doubtful.length === 0 && !isShort) return false;
  const memory = sessionMemory(sessionId);
  const links = doubtful.map(({ id, parentId }) => [id, parentId]);
  const path = JSON.stringify(isShort ? [bounded.activeLeafEntryId, ...links] : links);
  if (memory.wholePath === path) return false;
  const isCut = repairEntries(readAll(), { sessionId: "", cwd: "" }).violations.some((violation) =>
    TREE_VIOLATIONS.has(violation),
  );
  if (!isCut) memory.wholePath = path;
  return isCut;
}

/**
 * Finds the rows of a path that have an id of their own only in OpenClaw's index, as rows with one id have, and those
 * whose parent is not on the path. A turn leaves the latter behind rows that get their ids on load: these are not
 * stored, and the parent is one of them. Before 2026.9.3 a row that was left out on purpose looks the same.
 */
function findOrphans(tree: readonly JsonObject[], { parents }: BoundedContext): readonly JsonObject[] {
  const ids = parents ?? new Map(tree.map(({ id }) => [id, null]));
  return tree.filter(
    ({ id, parentId }, at) => !ids.has(id as string) || (at > 0 && typeof parentId === "string" && !ids.has(parentId)),
  );
}

/** Makes header and messages readable, row by row; the tree is not changed. */
function withSoundRows<T extends LoadedTranscript>(loaded: T): T {
  const { bounded, sessionId } = loaded;
  let entries = mapChanged(loaded.entries, readableRow);
  let next: BoundedContext | undefined = bounded;
  const header = findHeader(entries);
  if (!header) {
    entries = [makeHeader(entries, { sessionId: sessionId ?? "session", cwd: process.cwd() }), ...entries];
    // All positions in the list have moved by one.
    if (bounded) next = { ...bounded, firstKeptRanges: shifted(bounded.firstKeptRanges) };
  } else if (!isCurrentHeader(header))
    entries = entries.map((row) => (row === header ? { ...header, version: 3 } : row));
  if (entries === loaded.entries) return loaded;
  logLine(`session load session=${sessionId ?? "?"} ${header ? "rows made readable" : "header made up"}`);
  return { ...loaded, entries, bounded: next };
}

/** Returns the whole transcript with a connected tree. */
function fromAllRows<T extends LoadedTranscript>(loaded: T): T {
  const { bounded, sessionId, readAll } = loaded;
  const rows = bounded && readAll ? readAll() : loaded.entries;
  const { entries, violations } = repairEntries(rows, { sessionId: sessionId ?? "session", cwd: process.cwd() });
  if (violations.length === 0) return withSoundRows(loaded);
  logLine(`session load session=${sessionId ?? "?"} ${violations.join(", ")}`);
  if (!bounded) return { ...loaded, entries: [...entries] };
  const tree = entries.filter(isTreeRow);
  return {
    ...loaded,
    entries: [...entries],
    bounded: {
      ...bounded,
      ...(bounded.parents && {
        parents: new Map(tree.map((row) => [row.id as string, (row.parentId as string | null | undefined) ?? null])),
      }),
      opaqueParents: new Map(),
      firstKeptRanges: new Map(),
      activeLeafEntryId: (tree.at(-1)?.id as string | undefined) ?? null,
    },
  };
}

function shifted(ranges: BoundedContext["firstKeptRanges"]): BoundedContext["firstKeptRanges"] {
  return new Map(
    [...ranges].map(([id, range]) => [
      id,
      { ...range, startIndex: range.startIndex + 1, endIndex: range.endIndex + 1 },
    ]),
  );
}
