import { contentHash, EMPTY_HASH } from "../../journal/content-hash.ts";
import type { Operation } from "../../journal/rows.ts";
import { emit } from "../../observe/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";
import type { HashedPath, SessionMemory } from "../base/memory.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { isEntryOf, isHold } from "../openclaw/entries.ts";

/** Messages that are hashed before other work of the gateway's gets its turn. */
const SLICE = 256;

const DEFAULT_RETENTION = 10;

/**
 * How many checkpoints of each kind a session keeps: `OPENCLAW_INTEGRITY_CHECKPOINTS`, 10 by default, 0 for none at
 * all.
 */
export function retention(): number {
  const value = process.env.OPENCLAW_INTEGRITY_CHECKPOINTS?.trim() ?? "";
  return /^\d+$/.test(value) ? Number(value) : DEFAULT_RETENTION;
}

/**
 * Whether a checkpoint is due before these tool calls: with the one by which `OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL`
 * of them have been made since the last (1 by default: before every batch). A turn begins with one of its own.
 */
export function isDue(memory: SessionMemory, calls: number): boolean {
  const value = process.env.OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL?.trim() ?? "";
  const since = (memory.callsSince ?? 0) + calls;
  const due = since >= (/^\d+$/.test(value) ? Number(value) : 1);
  memory.callsSince = due ? 0 : since;
  return due;
}

/** Whether checkpoints hold a copy of the messages: `OPENCLAW_INTEGRITY_SNAPSHOTS=on`. */
function withMessages(): boolean {
  return /^(on|1|true|yes)$/i.test(process.env.OPENCLAW_INTEGRITY_SNAPSHOTS?.trim() ?? "");
}

/**
 * Keeps the place where a session stands, before something that may fail; its id, undefined without a journal or a
 * transcript. A checkpoint is the leaf's entry id and the hash of the messages up to it; messages are not copied. Issue
 * 5, item 1.
 */
export function makeCheckpoint(
  sessionId: string,
  manager: SessionManager | undefined,
  memory: SessionMemory,
  operation: Operation,
): string | undefined {
  const since = performance.now();
  const path = pathOf(manager);
  return path && keep(sessionId, path, memory, operation, since);
}

/**
 * As {@link makeCheckpoint}, before a turn, for a transcript of any length: the first time it is hashed bit by bit. The
 * message that the turn answers, which OpenClaw 2026.9 has stored by then, lies behind the checkpoint.
 */
export async function checkpointTurn(
  sessionId: string,
  manager: SessionManager | undefined,
  memory: SessionMemory,
  operation: Operation,
): Promise<string | undefined> {
  const since = performance.now();
  const path = beforeUser(pathOf(manager));
  if (!path) return undefined;
  memory.callsSince = 0;
  if (!memory.hashed) {
    for (let end = SLICE; end < path.length; end += SLICE) {
      memory.hashed = hashedBehind(memory.hashed, path[0]!.id, path.slice(end - SLICE, end));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return keep(sessionId, path, memory, operation, since);
}

/** The operation behind a checkpoint has succeeded; older ones of its kind go. */
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

function keep(
  sessionId: string,
  path: readonly Entry[],
  memory: SessionMemory,
  operation: Operation,
  since: number,
): string | undefined {
  const hashed = hashOn(memory.hashed, path);
  memory.hashed = hashed;
  const snapshot = withMessages() ? messagesOf(path) : undefined;
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
  // One of an earlier turn that was killed lies before the checkpoint.
  return isEntryOf("user", path?.[last]) && !path?.slice(last).some(isHold) ? path?.slice(0, last) : path;
}

type Entry = Record<string, unknown> & { id: string };

/** The entries from the first one to the leaf; undefined where this release has no tree, or checkpoints are off. */
function pathOf(manager: SessionManager | undefined): Entry[] | undefined {
  if (retention() === 0 || typeof manager?.getBranch !== "function") return undefined;
  return manager.getBranch().filter((entry): entry is Entry => isObject(entry) && typeof entry.id === "string");
}

/** The hash of a path; what was hashed before is not read again as long as the path goes through its leaf. */
function hashOn(known: HashedPath | undefined, path: readonly Entry[]): HashedPath {
  const at =
    known?.leafEntryId && known.firstEntryId === path[0]?.id
      ? path.findLastIndex(({ id }) => id === known.leafEntryId)
      : -1;
  return hashedBehind(at >= 0 ? known : undefined, path[0]?.id ?? null, path.slice(at + 1));
}

/** The hash of a path whose last entries were not hashed yet. */
function hashedBehind(
  known: HashedPath | undefined,
  firstEntryId: string | null,
  entries: readonly Entry[],
): HashedPath {
  const messages = messagesOf(entries);
  return {
    firstEntryId,
    leafEntryId: entries.at(-1)?.id ?? known?.leafEntryId ?? null,
    messageIndex: (known?.messageIndex ?? 0) + messages.length,
    contentHash: contentHash(messages, known?.contentHash ?? EMPTY_HASH),
  };
}

function messagesOf(path: readonly Entry[]): unknown[] {
  return path.filter(({ type }) => type === "message").map(({ message }) => message);
}
