import type { Checkpoint } from "../../journal/checkpoints.ts";
import { contentHash, EMPTY_HASH } from "../../journal/content-hash.ts";
import { isObject } from "../../transcript/json/json.ts";
import { NOTE_TYPE, type EntryReference, type StoredSession } from "../sessions/stored-session.ts";

/** Entries that a model is sent something of; the others are OpenClaw's own records. */
const IN_CONTEXT = new Set(["message", "custom_message", "compaction", "branch_summary", "reset"]);

/** Where a session stands, seen from a checkpoint of it. */
export interface CheckpointState {
  /**
   * `holds`: its messages are those of then. `changed`: they are not, or their hash cannot be told. `gone`: its entry
   * is no longer stored.
   */
  readonly verdict: "holds" | "changed" | "gone";
  /** The hash of the messages up to its entry as they are now; undefined when they are gone. */
  readonly foundHash: string | undefined;
  /** True when the conversation stands there already, or behind the note of a rollback to it. */
  readonly isLeaf: boolean;
  /**
   * What would no longer be part of the conversation: the entries of the active path that are not on the checkpoint's,
   * oldest first.
   */
  readonly leaving: readonly EntryReference[];
  /** What would be part of it again: the entries of the checkpoint's path that are not on the active one. */
  readonly returning: readonly EntryReference[];
}

/** Compares a session with a checkpoint of it; reads both paths, changes nothing. Throws `store-unreadable`. */
export function compareWithCheckpoint(session: StoredSession, checkpoint: Checkpoint): CheckpointState {
  const { leafEntryId } = checkpoint;
  if (leafEntryId !== null && !session.has(leafEntryId))
    return { verdict: "gone", foundHash: undefined, isLeaf: false, leaving: [], returning: [] };
  const path = session.path(leafEntryId);
  const active = session.path();
  const foundHash = hashFrom(session, path, checkpoint.firstEntryId);
  let shared = 0;
  while (shared < path.length && path[shared]?.id === active[shared]?.id) shared++;
  const leaving = active.slice(shared);
  return {
    verdict: foundHash === checkpoint.contentHash ? "holds" : "changed",
    foundHash,
    isLeaf: shared === path.length && isNothingSaid(session, leaving, checkpoint),
    leaving,
    returning: path.slice(shared),
  };
}

/** How many of these entries are messages. */
export function countMessages(entries: readonly EntryReference[]): number {
  return entries.filter(({ type }) => type === "message").length;
}

/**
 * The place where a session stands, as a checkpoint that is made now has it. What `known`, a sound checkpoint, covers
 * is not hashed again.
 */
export function placeOf(
  session: StoredSession,
  known?: Checkpoint,
): Pick<Checkpoint, "messageIndex" | "contentHash" | "firstEntryId" | "leafEntryId"> {
  const path = session.path();
  const firstEntryId = path[0]?.id ?? null;
  const at =
    known !== undefined && known.firstEntryId === firstEntryId
      ? path.findIndex(({ id }) => id === known.leafEntryId)
      : -1;
  return {
    messageIndex: countMessages(path),
    contentHash: contentHash(messagesOf(session, path.slice(at + 1)), at < 0 ? EMPTY_HASH : known?.contentHash),
    firstEntryId,
    leafEntryId: path.at(-1)?.id ?? null,
  };
}

/** Undefined when the path does not go through its first entry. */
function hashFrom(
  session: StoredSession,
  path: readonly EntryReference[],
  firstEntryId: string | null,
): string | undefined {
  const first = firstEntryId === null ? path.length : path.findIndex(({ id }) => id === firstEntryId);
  if (first < 0) return undefined;
  return contentHash(messagesOf(session, path.slice(first)));
}

/** One at a time: a transcript may be larger than the memory. */
function* messagesOf(session: StoredSession, path: readonly EntryReference[]): Generator<unknown> {
  for (const { message } of session.read(path.filter(({ type }) => type === "message"))) yield message;
}

/** True when nothing of these entries is in the context but notes of going back to this checkpoint. */
function isNothingSaid(session: StoredSession, entries: readonly EntryReference[], { id }: Checkpoint): boolean {
  const said = entries.filter(({ type }) => IN_CONTEXT.has(type));
  if (said.some(({ type }) => type !== "custom_message")) return false;
  return [...session.read(said)].every(
    ({ customType, details }) => customType === NOTE_TYPE && isObject(details) && details.checkpointId === id,
  );
}
