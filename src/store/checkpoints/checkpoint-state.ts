import type { Checkpoint } from "../../journal/checkpoints.ts";
import { contentHash, EMPTY_HASH } from "../../journal/content-hash.ts";
import { isObject } from "../../transcript/json/json.ts";
import { NOTE_TYPE, type EntryReference, type StoredSession } from "../sessions/stored-session.ts";

/** Types of entries with content that is sent to a model; all others are OpenClaw's own records. */
const IN_CONTEXT = new Set(["message", "custom_message", "compaction", "branch_summary", "reset"]);

/** A session compared with one of its checkpoints. */
export interface CheckpointState {
  /**
   * `holds`: the messages up to the checkpoint are unchanged. `changed`: they are not, or cannot be hashed. `gone`: the
   * checkpoint's entry is no longer stored.
   */
  readonly verdict: "holds" | "changed" | "gone";
  /** Hash of the present messages up to the checkpoint's entry; undefined when they are gone or cannot be hashed. */
  readonly foundHash: string | undefined;
  /** Whether the session continues at the checkpoint already, or after the note of a rollback to it. */
  readonly isLeaf: boolean;
  /**
   * Entries that a rollback takes out of the history: those of the active path that are not on the checkpoint's, oldest
   * first.
   */
  readonly leaving: readonly EntryReference[];
  /** Entries that a rollback brings back: those of the checkpoint's path that are not on the active one. */
  readonly returning: readonly EntryReference[];
}

/** Compares a session with one of its checkpoints by reading both paths. Changes nothing. Throws `store-unreadable`. */
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
 * The fields of a checkpoint made at the session's leaf now. Messages that `known`, a valid checkpoint, covers are not
 * hashed again.
 */
export function checkpointPlace(
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
    contentHash: contentHash(pathMessages(session, path.slice(at + 1)), at < 0 ? EMPTY_HASH : known?.contentHash),
    firstEntryId,
    leafEntryId: path.at(-1)?.id ?? null,
  };
}

/** Hashes the messages of the path from `firstEntryId` on; undefined when the path does not contain that entry. */
function hashFrom(
  session: StoredSession,
  path: readonly EntryReference[],
  firstEntryId: string | null,
): string | undefined {
  const first = firstEntryId === null ? path.length : path.findIndex(({ id }) => id === firstEntryId);
  if (first < 0) return undefined;
  return contentHash(pathMessages(session, path.slice(first)));
}

/** Reads one entry at a time, because a transcript may be larger than the memory. */
function* pathMessages(session: StoredSession, path: readonly EntryReference[]): Generator<unknown> {
  for (const { message } of session.read(path.filter(({ type }) => type === "message"))) yield message;
}

/** Whether the only content among these entries is notes of rollbacks to this checkpoint. */
function isNothingSaid(session: StoredSession, entries: readonly EntryReference[], { id }: Checkpoint): boolean {
  const inContext = entries.filter(({ type }) => IN_CONTEXT.has(type));
  if (inContext.some(({ type }) => type !== "custom_message")) return false;
  return [...session.read(inContext)].every(
    ({ customType, details }) => customType === NOTE_TYPE && isObject(details) && details.checkpointId === id,
  );
}
