import { commonLength } from "../store/sessions/context-path.ts";
import { NOTE_TYPE } from "../store/sessions/stored-session.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";

/** An entry to append to a branch: a copy of an entry of the old path, a changed message, or an inserted one. */
export interface BranchEntry {
  /** The entry of the old path that this one replaces; missing for an inserted message. */
  source?: JsonObject;
  /** Set where the entry is a message. */
  message?: unknown;
  /**
   * Ids of the entries of the old path that this one replaces: its source, and the removed entries before the source.
   */
  standsFor: readonly unknown[];
}

/** What replaces the end of a path. */
export interface Branch {
  /** Id of the last entry that is kept; null when none is. */
  parentId: string | null;
  entries: readonly BranchEntry[];
}

/**
 * Returns the branch that changes the messages of `path` from `context` to `mended`. Entries before the first change
 * are kept; those behind it are appended again as copies, including summaries, notes and OpenClaw's own records.
 * `context` holds the messages of the path that a model is sent. A message that is kept is the same object in both
 * lists. Returns undefined when nothing changes.
 */
export function planBranch(
  path: readonly JsonObject[],
  context: readonly unknown[],
  mended: readonly unknown[],
): Branch | undefined {
  const same = commonLength(context, mended);
  if (same === context.length && same === mended.length) return undefined;
  const entryOf = new Map(path.filter(({ type }) => type === "message").map((entry) => [entry.message, entry]));
  const before = entryOf.get(context[same - 1]);
  const from =
    before === undefined
      ? path.findIndex((entry) => entry.message !== undefined && entry.message === context[0])
      : path.indexOf(before) + 1;
  /** Index in `mended` of the next message to append. */
  let next = same;
  const places = new Map(mended.map((message, at) => [message, at]));
  const stays = new Set(mended.slice(same).filter((message) => entryOf.has(message)));
  const isPending = (message: unknown): boolean => (places.get(message) ?? -1) >= next;
  const entries: BranchEntry[] = [];
  let leftOut: unknown[] = [];
  const push = (entry: Omit<BranchEntry, "standsFor">): void => {
    entries.push({ ...entry, standsFor: [...leftOut, ...(entry.source?.id === undefined ? [] : [entry.source.id])] });
    leftOut = [];
  };
  const put = (source = entryOf.get(mended[next])): void =>
    push({ ...(source && { source }), message: mended[next++] });
  for (const entry of path.slice(Math.max(from, 0))) {
    if (entry.type !== "message") {
      // No other entry may stand between a call and its results.
      while (isResult(mended[next])) put();
      push({ source: entry });
    } else if (stays.has(entry.message)) {
      // Messages that were inserted before this one come first. The message itself may already have been moved forward.
      while (isPending(entry.message) && mended[next] !== entry.message) put();
      if (next < mended.length && mended[next] === entry.message) put();
    } else if (next < mended.length && !stays.has(mended[next]) && readRole(mended[next]) === readRole(entry.message))
      put(entry);
    else leftOut.push(entry.id);
  }
  while (next < mended.length) put();
  // A branch needs at least one entry to become the leaf; an empty note serves where no entry is copied.
  if (entries.length === 0) push({ source: { type: "custom", customType: NOTE_TYPE, data: {} } });
  return { parentId: from <= 0 ? null : String(path[from - 1]!.id), entries };
}

function isResult(message: unknown): boolean {
  return readRole(message) === "toolResult";
}

function readRole(message: unknown): unknown {
  return isObject(message) ? message.role : undefined;
}
