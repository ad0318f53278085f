import { commonLength } from "../store/sessions/context-path.ts";
import { NOTE_TYPE } from "../store/sessions/stored-session.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";

/** An entry of a branch: one that is said again, or a message that was changed or put in. */
export interface BranchEntry {
  /** The entry of the path that it stands for; missing for a message that was put in. */
  source?: JsonObject;
  /** Of an entry that is a message. */
  message?: unknown;
  /** Ids of the entries of the path that it stands for: its source, and those before it that were left out. */
  standsFor: readonly unknown[];
}

/** A new end of a path. */
export interface Branch {
  /** The last entry that stays; null when none does. */
  parentId: string | null;
  entries: readonly BranchEntry[];
}

/**
 * The path with other messages: everything up to the first change stays, and what is behind it is said again in a
 * branch, summaries, notes and OpenClaw's own records included. `context` are the messages of the path that a model is
 * sent, as they are, and `mended` as they shall be; a message that stays is the same object in both. Undefined when
 * nothing changes.
 */
export function branchOf(
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
  /** What is still to be put, from the place `next` on. */
  let next = same;
  const places = new Map(mended.map((message, at) => [message, at]));
  const stays = new Set(mended.slice(same).filter((message) => entryOf.has(message)));
  const isToCome = (message: unknown): boolean => (places.get(message) ?? -1) >= next;
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
      // Nothing may stand between a call and its results.
      while (isResult(mended[next])) put();
      push({ source: entry });
    } else if (stays.has(entry.message)) {
      // What was put in before it; the message itself may stand further in front by now.
      while (isToCome(entry.message) && mended[next] !== entry.message) put();
      if (next < mended.length && mended[next] === entry.message) put();
    } else if (next < mended.length && !stays.has(mended[next]) && roleOf(mended[next]) === roleOf(entry.message))
      put(entry);
    else leftOut.push(entry.id);
  }
  while (next < mended.length) put();
  // Where nothing is said again, a mark keeps the place.
  if (entries.length === 0) push({ source: { type: "custom", customType: NOTE_TYPE, data: {} } });
  return { parentId: from <= 0 ? null : String(path[from - 1]!.id), entries };
}

function isResult(message: unknown): boolean {
  return roleOf(message) === "toolResult";
}

function roleOf(message: unknown): unknown {
  return isObject(message) ? message.role : undefined;
}
