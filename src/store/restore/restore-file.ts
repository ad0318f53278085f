import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { archiveTranscript, readArchiveFile, readContent, type ArchiveFile } from "../archives/archive-file.ts";
import { unlessRefused, withDraft } from "../archives/durable-file.ts";
import { storeError } from "../errors.ts";
import { assertUnlocked, withLock } from "../openclaw/openclaw-lock.ts";
import {
  assertAssignable,
  assign,
  conversationKeys,
  readIndex,
  transcriptOfEntry,
  type SessionIndex,
} from "../sessions/session-index.ts";

/** Options of a restore. */
export interface RestoreFileOptions {
  /** Path of the archive. */
  readonly archive: string;
  /** Key of the conversation that is to continue in the restored transcript. */
  readonly sessionKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The result of a restore, or of its dry run. */
export interface RestoredFile {
  readonly archive: string;
  readonly transcript: string;
  /** SHA-256 of the archive, and so of the restored transcript. */
  readonly sha256: string;
  /** `already`: nothing had to change in the transcript and in sessions.json. */
  readonly action: "restored" | "already" | "would-restore";
  /** Path of a new archive of the transcript that was replaced. */
  readonly kept?: string;
  /** Keys of the conversations that continue in the transcript. */
  readonly sessionKeys: readonly string[];
  /** False when there is no sessions.json, so that `sessionKeys` is unknown. */
  readonly isIndexed: boolean;
}

/**
 * Restores a JSONL transcript byte for byte from its archive, after archiving its present content. Restoring twice
 * changes nothing. Throws a StoreError, and then no conversation has changed: the archive is missing, foreign, damaged
 * or not in its folder; the session is in use; the folder cannot be written, or another user could interfere with the
 * write (`unsafe-path`).
 */
export function restoreFile(options: RestoreFileOptions): RestoredFile {
  const from = readArchiveFile(options.archive);
  const { transcript, sha256 } = from;
  const index = readIndex(transcript);
  if (index === undefined && !existsSync(transcript)) throw moved(from);
  const { sessionKey } = options;
  if (sessionKey !== undefined) assertKey(index, sessionKey, transcript);
  const before = index === undefined ? [] : conversationKeys(index, transcript);
  const isAssigned = sessionKey === undefined || before.includes(sessionKey);
  const isSame = readContent(transcript)?.sha256 === sha256;
  const outcome = {
    archive: from.path,
    transcript,
    sha256,
    isIndexed: index !== undefined,
    sessionKeys: isAssigned ? before : [sessionKey],
  };
  if (isSame && isAssigned) return { ...outcome, action: "already" };
  assertUnlocked(transcript);
  if (!isAssigned) assertCurrentUnlocked(index, sessionKey);
  if (options.dryRun) return { ...outcome, action: "would-restore" };
  const kept = isSame ? undefined : replace(from);
  if (!isAssigned && index !== undefined) assign(index, sessionKey, transcript);
  return { ...outcome, action: "restored", ...(kept !== undefined && { kept }) };
}

/** Replaces the transcript under its lock, so that no turn begins with the old content. */
function replace({ transcript, bytes, mode, owner }: ArchiveFile): string | undefined {
  return withLock(transcript, 0, () => {
    const present = readContent(transcript);
    // The draft is made first, because it fails where the transcript must not be written.
    return withDraft(
      transcript,
      present?.mode ?? mode,
      (draft) => {
        const kept = present === undefined ? undefined : archiveTranscript(transcript, present);
        unlessRefused(transcript, () => {
          draft.write(bytes);
          draft.put();
        });
        return kept;
      },
      { owner: present?.owner ?? owner },
    );
  });
}

function assertKey(index: SessionIndex | undefined, key: string, transcript: string): void {
  if (index !== undefined) return assertAssignable(index, key, transcript);
  throw storeError("session-missing", {
    expected: `the conversation ${key} in ${join(dirname(transcript), "sessions.json")}`,
    found: "no such file",
    todo: "Leave --session-key out; nothing was changed.",
  });
}

/** Throws when a turn is running in the conversation's present session. */
function assertCurrentUnlocked(index: SessionIndex | undefined, key: string): void {
  const current = index === undefined ? undefined : transcriptOfEntry(index, index.entries[key]);
  if (current !== undefined) assertUnlocked(current);
}

function moved({ path, transcript }: ArchiveFile): Error {
  return storeError("archive-moved", {
    expected: `the archive in OpenClaw's folder of sessions, next to ${transcript} or to a sessions.json`,
    found: `neither in ${dirname(path)}`,
    todo:
      "Put it back where it was written (agents/<agent>/sessions in OpenClaw's state directory) and run it again; " +
      "nothing was changed.",
  });
}
