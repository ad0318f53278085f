/**
 * Rows of an OpenClaw transcript. The messages of the path are judged: from the first row to the last one by
 * `parentId`, or all where that path cannot be followed. Other rows stay as they are.
 */
import { isTreeRow } from "../transcript/entries.ts";
import { freshId } from "../transcript/json/hash.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { isJson, plainCopy } from "../transcript/json/plain.ts";
import { idKey } from "../transcript/read.ts";
import { repair, type RepairStrategy } from "../transcript/repair.ts";
import { selectMembers, withForeignRows } from "./foreign-rows.ts";
import { noJson } from "../transcript/violations.ts";
import type { ListRepair, RepairedRows } from "./violations.ts";

/** The row of a message. */
const ROW: unique symbol = Symbol("row");
type Message = JsonObject & { [ROW]?: JsonObject };

/** Repairs the rows of `list` that are entries with a message; `list` itself where nothing breaks a rule. */
export function repairRows(list: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  try {
    const found = repairRead(list, strategy);
    if (found.repairs.length === 0 || list.every(isJson)) return found;
  } catch {
    // A part of it cannot be read.
  }
  // The repair copies messages that are no JSON, so that their rows would not be known any more.
  const copied = list.flatMap((row, messageIndex) => (isJson(row) ? [] : [messageIndex]));
  const { rows, repairs } = repairRead(
    list.map((row) => (isJson(row) ? row : plainCopy(row))),
    strategy,
  );
  const converted = copied.map((at): ListRepair => ({ ...noJson(at), action: "convert_block" }));
  return { rows, repairs: [...converted, ...repairs] };
}

function repairRead(list: readonly unknown[], strategy: RepairStrategy): RepairedRows {
  const path = activePath(list);
  const members = selectMembers(
    list,
    list.map((row) => isObject(row) && isObject(row.message) && (!path || path.has(row))),
  );
  const given = members.rows.map((row): Message => ({
    ...((row as JsonObject).message as Message),
    [ROW]: row as JsonObject,
  }));
  const { messages, repairs } = repair(given, { strategy });
  if (repairs.length === 0) return { rows: list, repairs: [] };
  const taken = new Set(list.flatMap((row) => (isObject(row) ? [idKey(row.id)] : [])));
  const kept = new Set<unknown>(given);
  const written = new Set<JsonObject>();
  let last = members.rows[0] as JsonObject;
  const rows = messages.map((message): JsonObject => {
    const { [ROW]: row, ...plain } = message as Message;
    const isNew = !row || written.has(row);
    if (row) written.add((last = row));
    if (isNew) return { ...last, id: freshId(idKey(last.id), taken.size, taken), message: plain };
    return kept.has(message) ? row : { ...row, message: plain };
  });
  return {
    // Where the parents do not lead from the first row to the last one, all rows are one path from now on.
    rows: linked(list, withForeignRows(list, members, rows), path ?? new Set(list.filter(isTreeRow))),
    repairs: repairs.map((found) => ({ ...found, messageIndex: members.places[found.messageIndex]! })),
  };
}

/** Returns the rows from the first one of the tree to the last; undefined where the parents do not lead there. */
function activePath(list: readonly unknown[]): Set<unknown> | undefined {
  const tree = list.filter(isTreeRow);
  const byId = new Map(tree.map((row) => [row.id, row]));
  if (byId.size < tree.length) return undefined;
  const places = new Map(list.map((row, at) => [row, at]));
  const path = new Set<unknown>();
  let row = tree.at(-1);
  while (row && typeof row.id === "string") {
    path.add(row);
    if (row.parentId === null) return path;
    const parent = byId.get(row.parentId);
    // A parent behind its child is no path that a list can be read by.
    row = parent && places.get(parent)! < places.get(row)! ? parent : undefined;
  }
  return undefined;
}

/** Returns the rows with the path through those that were added, and without parents that are gone. */
function linked(given: readonly unknown[], written: readonly unknown[], path: ReadonlySet<unknown>): unknown[] {
  const before = new Set(given);
  const ids = new Set(written.map((row) => (isObject(row) ? row.id : undefined)));
  /** The row of the path that stands for one that is gone. */
  const insteadOf = new Map<unknown, unknown>();
  let parent: unknown = null;
  for (const row of given) {
    if (!path.has(row)) continue;
    const { id } = row as JsonObject;
    if (ids.has(id)) parent = id;
    else insteadOf.set(id, parent);
  }
  parent = null;
  return written.map((row) => {
    if (!isObject(row)) return row;
    const isOnPath = path.has(row) || !before.has(row);
    const parentId = isOnPath ? parent : (insteadOf.get(row.parentId) ?? row.parentId);
    if (isOnPath) parent = row.id;
    return parentId === row.parentId ? row : { ...row, parentId };
  });
}
