import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { archiveTranscript, readArchiveFile, readContent, type ArchiveFile } from "../archives/archive-file.ts";
import { unlessRefused, withDraft } from "../archives/durable-file.ts";
import { storeError } from "../errors.ts";
import { assertUnlocked, withLock } from "../openclaw/openclaw-lock.ts";
import {
  assertAssignable,
  assign,
  keysOf,
  readIndex,
  transcriptOfEntry,
  type SessionIndex,
} from "../sessions/session-index.ts";

/** What to restore, and whether to do it. */
export interface RestoreFileOptions {
  /** Path of the archive. */
  readonly archive: string;
  /** The conversation that shall go on in the restored transcript. */
  readonly sessionKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What was done, or on a dry run would be. */
export interface RestoredFile {
  readonly archive: string;
  readonly transcript: string;
  /** SHA-256 of archive and transcript. */
  readonly sha256: string;
  /** `already`: transcript and list of sessions were so before. */
  readonly action: "restored" | "already" | "would-restore";
  /** The archive of the transcript that was there until now. */
  readonly kept?: string;
  /** The conversations that go on in the transcript. */
  readonly sessionKeys: readonly string[];
  /** False when there is no sessions.json that could tell. */
  readonly isIndexed: boolean;
}

/**
 * Makes a JSONL transcript byte for byte what its archive is, after archiving what it is now. Restoring twice changes
 * nothing. Throws a StoreError, and then no conversation has changed: the archive is missing, foreign, damaged or not
 * in its folder; the session is being worked on; the folder cannot be written, or others could have a hand in what is
 * written (`unsafe-path`).
 */
export function restoreFile(options: RestoreFileOptions): RestoredFile {
  const from = readArchiveFile(options.archive);
  const { transcript, sha256 } = from;
  const index = readIndex(transcript);
  if (index === undefined && !existsSync(transcript)) throw moved(from);
  const { sessionKey } = options;
  if (sessionKey !== undefined) assertKey(index, sessionKey, transcript);
  const before = index === undefined ? [] : keysOf(index, transcript);
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

/** Under the lock of the transcript, so that no turn begins on the old one. */
function replace({ transcript, bytes, mode, owner }: ArchiveFile): string | undefined {
  return withLock(transcript, 0, () => {
    const present = readContent(transcript);
    // Whether it may be written at all comes before anything is.
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

/** The conversation must not be answering in the session that it would be taken away from. */
function assertCurrentUnlocked(index: SessionIndex | undefined, key: string): void {
  const current = index === undefined ? undefined : transcriptOfEntry(index, index.entries[key]);
  if (current !== undefined) assertUnlocked(current);
}

function moved({ path, transcript }: ArchiveFile): Error {
  return storeError("archive-moved", {
    expected: `the archive in OpenClaw's folder of sessions, next to ${transcript} or to a sessions.json`,
    found: `neither in ${dirname(path)}`,
    todo: "Put it back where it was written (agents/<agent>/sessions in OpenClaw's state directory) and run it again; nothing was changed.",
  });
}
