import type { CycleCall, MessageFormat, ToolResultContent } from "./types.ts";

/** A place in a session: behind which entry the conversation goes on. */
export interface LeafTarget {
  /** The last entry that is kept on the path; null: before the first one. */
  leafEntryId: string | null;
  /** How many of the path's messages stand up to there. A store without a tree cuts here. */
  messageIndex: number;
}

/** A stretch of a session's tree. */
export interface SessionPath {
  firstEntryId: string | null;
  leafEntryId: string | null;
}

/**
 * One stored conversation, as SessionIntegrity needs it. There is one writer at a time. Reading is synchronous and does
 * no I/O; every change resolves when it is durable, and rejects when nothing of it is stored: all or none, never a
 * part.
 *
 * Three implementations: in memory, a JSONL file, an OpenClaw 2026.9.6 session. They keep a tree: what leaves the
 * active path by `moveLeaf`, `replaceMessages` or `clear` stays stored.
 *
 * Beyond the specification: `entryIdAt` and `messagesOf`, because a rollback has to check the hash of a path before it
 * moves the leaf, and must stop behind the last tool that has acted.
 */
export interface Session {
  readonly id: string;
  /** The format that calls and results are appended in. Reading understands both. */
  readonly format: MessageFormat;
  /**
   * The messages of the active path: those of `message` entries, from `firstEntryId` to `leafEntryId`. OpenClaw's own
   * entries (summaries, notes, changes of the model) are not among them. The messages must not be changed by the
   * reader; a message that did not change stays the same object, so that a hash can be continued.
   */
  readonly messages: readonly unknown[];
  /** The entry that the next one will hang on; it need not be a message. Null in an empty session. */
  readonly leafEntryId: string | null;
  /** The entry of `messages[0]`; null when there are no messages. After a compaction: the first entry that was kept. */
  readonly firstEntryId: string | null;

  /** The entry that holds `messages[messageIndex]`; undefined where there is none. */
  entryIdAt(messageIndex: number): string | undefined;
  /**
   * The messages on the path between two entries, both included; an empty list when `leafEntryId` is null. Undefined
   * when one of the entries is no longer stored or the first one is not above the last one.
   */
  messagesOf(path: SessionPath): readonly unknown[] | undefined;

  /** Stores messages behind the leaf. */
  append(messages: readonly unknown[]): Promise<void>;
  /**
   * Stores a finished tool cycle in one step: the call and its results; only the results where the call is the open end
   * of the history already. `cycleMessages` (cycle-messages.ts) tells what is to be appended, in the format of the
   * session.
   */
  persistToolCycle(call: CycleCall, results: readonly ToolResultContent[]): Promise<void>;
  /**
   * Lets the conversation go on from an earlier entry. Nothing is deleted. A store may add a note of its own that is no
   * `message` entry (`leafEntryId` is then that note); `messages` are exactly those up to the target.
   */
  moveLeaf(target: LeafTarget): Promise<void>;
  /**
   * Makes these the messages of the active path (a repaired history); the old path stays stored as a branch. A message
   * that is the same object as now may stay where it is. What stands before the messages (the summary of a compaction)
   * goes on standing there.
   */
  replaceMessages(messages: readonly unknown[]): Promise<void>;
  /** Keeps a copy of the whole session and tells where: a path or id for a person. Rejects when it cannot be kept. */
  archive(): Promise<string>;
  /** Begins anew with `keep` as the only messages. */
  clear(keep: readonly unknown[]): Promise<void>;
  /** Reads the session again from where it is stored, for instance after another process or a failed write. */
  reload(): Promise<void>;
}
