import type { CycleCall, MessageFormat, ToolResultContent } from "./types.ts";

/** The entry behind which a conversation continues. */
export interface LeafTarget {
  /** The last entry that stays on the path; null to continue before the first one. */
  leafEntryId: string | null;
  /** How many messages the path has up to that entry. A store without a tree cuts here. */
  messageIndex: number;
}

/** A path between two entries of a session's tree. */
export interface SessionPath {
  firstEntryId: string | null;
  leafEntryId: string | null;
}

/**
 * One stored conversation, as SessionIntegrity needs it. There is one writer at a time. Reading is synchronous; only
 * `readMessages` may read from the store. Every change is atomic: it resolves when all of it is durable, and rejects
 * when none of it is stored.
 *
 * Three implementations: in memory, a JSONL file, an OpenClaw 2026.9.6 session. They keep a tree: what leaves the
 * active path by `moveLeaf`, `replaceMessages` or `clear` stays stored.
 *
 * `entryIdAt` and `readMessages` are needed because a rollback checks the hash of a path before it moves the leaf, and
 * must stop behind the last tool that has acted.
 */
export interface Session {
  readonly id: string;
  /** The format in which calls and results are appended. Reading understands both formats. */
  readonly format: MessageFormat;
  /**
   * The messages of the active path: those of `message` entries, from `firstEntryId` to `leafEntryId`. OpenClaw's other
   * entries (summaries, notes, changes of the model) are not among them. Readers must not change the messages; a
   * message that did not change stays the same object, so that a hash can be continued.
   */
  readonly messages: readonly unknown[];
  /** The entry that becomes the parent of the next one; not necessarily a message. Null in an empty session. */
  readonly leafEntryId: string | null;
  /** The entry of `messages[0]`; null when there are no messages. After a compaction, the first entry that was kept. */
  readonly firstEntryId: string | null;

  /** Returns the id of the entry that holds `messages[messageIndex]`; undefined when there is none. */
  entryIdAt(messageIndex: number): string | undefined;
  /**
   * Returns the messages on the path between two entries, both included; an empty list when `leafEntryId` is null.
   * Returns undefined when one of the entries is no longer stored, or the first one is not above the last one.
   */
  readMessages(path: SessionPath): readonly unknown[] | undefined;

  /** Appends messages behind the leaf. */
  append(messages: readonly unknown[]): Promise<void>;
  /**
   * Stores a finished tool cycle in one step: the call and its results, or only the results when the call is the open
   * end of the history already. `cycleMessages` returns the messages to append, in the format of
   * the session.
   */
  persistToolCycle(call: CycleCall, results: readonly ToolResultContent[]): Promise<void>;
  /**
   * Continues the conversation from an earlier entry. A store with a tree deletes nothing. It may append a note that is
   * not a `message` entry (`leafEntryId` is then that note); `messages` are exactly those up to the target.
   */
  moveLeaf(target: LeafTarget): Promise<void>;
  /**
   * Makes these the messages of the active path (a repaired history); the old path stays stored as a branch. A message
   * that is the same object as now may keep its entry. The summary of a compaction that precedes the messages still
   * precedes them afterwards.
   */
  replaceMessages(messages: readonly unknown[]): Promise<void>;
  /** Archives the whole session; resolves to a path or id for a person. Rejects when the archive cannot be written. */
  archive(): Promise<string>;
  /** Resets the session to `keep` as its only messages. */
  clear(keep: readonly unknown[]): Promise<void>;
  /** Reads the stored session again, for instance after a failed write or a change by another process. */
  reload(): Promise<void>;
}
