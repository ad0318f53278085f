/** Checkpoints that the guard makes before operations and turns, and their settings. */
import { contentHash, EMPTY_HASH } from "../../journal/content-hash.ts";
import type { Operation } from "../../journal/rows.ts";
import { emit } from "../../observe/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import { fileMemory, type HashedPath, type SessionMemory } from "../base/memory.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { isRoleEntry, isHold } from "../openclaw/entries.ts";

/** Messages that are hashed before the event loop runs other work of the gateway. */
const MESSAGES_PER_SLICE = 256;

const DEFAULT_RETENTION = 10;

/** The most entries since the last checkpoint that are read one by one; with more the whole path is asked for. */
const MAX_BEHIND = 1000;

/**
 * Returns how many checkpoints of each kind a session keeps: `OPENCLAW_INTEGRITY_CHECKPOINTS`, 10 by default, 0 turns
 * checkpoints off.
 */
export function retention(): number {
  const value = process.env.OPENCLAW_INTEGRITY_CHECKPOINTS?.trim() ?? "";
  return /^\d+$/.test(value) ? Number(value) : DEFAULT_RETENTION;
}

/**
 * Counts `calls` tool calls. True when, with them, `OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL` calls have been made since
 * the last checkpoint (1 by default: before every batch). {@link checkpointTurn} starts the count again.
 */
export function isDue(memory: SessionMemory, calls: number): boolean {
  const value = process.env.OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL?.trim() ?? "";
  const since = (memory.callsSince ?? 0) + calls;
  const due = since >= (/^\d+$/.test(value) ? Number(value) : 1);
  memory.callsSince = due ? 0 : since;
  return due;
}

/** True when checkpoints hold a copy of the messages: `OPENCLAW_INTEGRITY_SNAPSHOTS=on`. */
function withMessages(): boolean {
  return /^(on|1|true|yes)$/i.test(process.env.OPENCLAW_INTEGRITY_SNAPSHOTS?.trim() ?? "");
}

/**
 * Makes a checkpoint before an operation that may fail: the leaf's entry id and the hash of the messages up to it, and
 * a copy of the messages only with `OPENCLAW_INTEGRITY_SNAPSHOTS`. Returns the checkpoint's id; undefined without a
 * journal or a transcript.
 */
export function makeCheckpoint(
  sessionId: string,
  manager: SessionManager | undefined,
  memory: SessionMemory,
  operation: Operation,
): string | undefined {
  const since = performance.now();
  const behind = withMessages() ? undefined : behindKnown(manager, memory);
  const path = behind ?? activePath(manager);
  return path && storeCheckpoint(sessionId, path, memory, operation, since, behind !== undefined);
}

/**
 * Makes a checkpoint before a turn, as {@link makeCheckpoint}. A long transcript is hashed in slices the first time, so
 * that the gateway is not blocked. The user message of the turn, which OpenClaw 2026.9 has stored by then, comes after
 * the checkpoint.
 */
export async function checkpointTurn(
  sessionId: string,
  manager: SessionManager | undefined,
  memory: SessionMemory,
  operation: Operation,
): Promise<string | undefined> {
  const since = performance.now();
  const path = beforeUser(activePath(manager));
  if (!path) return undefined;
  memory.callsSince = 0;
  const reading = readingNumber(manager);
  if (memory.hashedReading !== reading) delete memory.hashed;
  memory.hashedReading = reading;
  if (!memory.hashed) {
    // A compaction may hash the same path meanwhile: each continues its own hash.
    let beginning: HashedPath | undefined;
    for (let end = MESSAGES_PER_SLICE; end < path.length; end += MESSAGES_PER_SLICE) {
      beginning = hashedBehind(beginning, path[0]!.id, path.slice(end - MESSAGES_PER_SLICE, end));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (beginning) memory.hashed = beginning;
  }
  const id = storeCheckpoint(sessionId, path, memory, operation, since);
  memory.hashedIn = manager && new WeakRef(manager);
  return id;
}

/** Commits a checkpoint after its operation has succeeded, and deletes the oldest ones of its kind above the limit. */
export function commitCheckpoint(sessionId: string, id: string | undefined, operation: Operation): void {
  if (id === undefined) return;
  const since = performance.now();
  const removed = withJournal((journal) =>
    journal.transaction(() => {
      journal.checkpoints.commit(id);
      return (
        journal.checkpoints.prune(sessionId, retention(), operation) +
        journal.checkpoints.pruneFailed(sessionId, retention(), operation)
      );
    }),
  );
  if (removed === undefined) return;
  emit("l0:checkpoint:committed", () => ({ sessionId, checkpointId: id }), { since });
  if (removed > 0) emit("l0:checkpoint:pruned", () => ({ sessionId, removed }));
}

/** Which reading of a JSONL transcript the manager has loaded; undefined for a session in a database. */
function readingNumber(manager: SessionManager | undefined): number | undefined {
  const file = manager?.getSessionFile?.();
  return typeof file === "string" && file.endsWith(".jsonl") ? fileMemory(file).readings : undefined;
}

function storeCheckpoint(
  sessionId: string,
  path: readonly Entry[],
  memory: SessionMemory,
  operation: Operation,
  since: number,
  isBehind = false,
): string | undefined {
  const hashed = isBehind
    ? hashedBehind(memory.hashed, memory.hashed?.firstEntryId ?? null, path)
    : hashOn(memory.hashed, path);
  memory.hashed = hashed;
  const snapshot = withMessages() ? entryMessages(path) : undefined;
  const id = withJournal(
    (journal) => journal.checkpoints.create({ sessionId, operation, ...hashed, ...(snapshot && { snapshot }) }).id,
  );
  if (id !== undefined)
    emit("l0:checkpoint:created", () => ({ sessionId, checkpointId: id, messageIndex: hashed.messageIndex }), {
      since,
      kind: operation,
    });
  return id;
}

function beforeUser(path: Entry[] | undefined): Entry[] | undefined {
  const last = path?.findLastIndex(({ type }) => type === "message") ?? -1;
  // A kept user message of an earlier turn that was killed stays before the checkpoint.
  return isRoleEntry("user", path?.[last]) && !path?.slice(last).some(isHold) ? path?.slice(0, last) : path;
}

type Entry = Record<string, unknown> & { id: string };

/** Returns the entries from the first to the leaf; undefined where the release has no tree or checkpoints are off. */
function activePath(manager: SessionManager | undefined): Entry[] | undefined {
  if (retention() === 0 || typeof manager?.getBranch !== "function") return undefined;
  return manager.getBranch().filter((entry): entry is Entry => isObject(entry) && typeof entry.id === "string");
}

/**
 * Returns the entries behind the last hashed one; undefined when that one is not on the path, or was hashed in another
 * manager, which may have loaded more or less of the session. Takes time in proportion to the entries that were added.
 */
function behindKnown(manager: SessionManager | undefined, { hashed, hashedIn }: SessionMemory): Entry[] | undefined {
  if (retention() === 0 || !hashed?.leafEntryId || manager === undefined || hashedIn?.deref() !== manager)
    return undefined;
  if (typeof manager.getLeafId !== "function" || typeof manager.getEntry !== "function") return undefined;
  const behind: Entry[] = [];
  for (let id: unknown = manager.getLeafId(); id !== hashed.leafEntryId;) {
    const entry = typeof id === "string" && behind.length < MAX_BEHIND ? manager.getEntry(id) : undefined;
    if (!isObject(entry) || typeof entry.id !== "string") return undefined;
    behind.push(entry as Entry);
    id = entry.parentId;
  }
  return behind.toReversed();
}

/** Hashes a path. The part that is known is not hashed again as long as the path still contains its leaf. */
function hashOn(known: HashedPath | undefined, path: readonly Entry[]): HashedPath {
  const at =
    known?.leafEntryId && known.firstEntryId === path[0]?.id
      ? path.findLastIndex(({ id }) => id === known.leafEntryId)
      : -1;
  return hashedBehind(at >= 0 ? known : undefined, path[0]?.id ?? null, path.slice(at + 1));
}

/** Continues the hash of a path with entries that are not hashed yet. */
function hashedBehind(
  known: HashedPath | undefined,
  firstEntryId: string | null,
  entries: readonly Entry[],
): HashedPath {
  const messages = entryMessages(entries);
  return {
    firstEntryId,
    leafEntryId: entries.at(-1)?.id ?? known?.leafEntryId ?? null,
    messageIndex: (known?.messageIndex ?? 0) + messages.length,
    contentHash: contentHash(messages, known?.contentHash ?? EMPTY_HASH),
  };
}

function entryMessages(path: readonly Entry[]): unknown[] {
  return path.filter(({ type }) => type === "message").map(({ message }) => message);
}
