/**
 * Archives of JSONL transcripts: `<session>.jsonl.integrity-<first 12 hex of the SHA-256>.bak`, next to the transcript.
 */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Owner } from "../../base/files/index.ts";
import { putFile } from "./durable-file.ts";
import { hasCode, describeError, storeError } from "../errors.ts";

const ARCHIVE = /^(.+\.jsonl)\.integrity-([0-9a-f]{12})\.bak$/;

/** A file with its content. */
export interface Content {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly mode: number;
  readonly owner: Owner;
  /** The file's inode number. */
  readonly inode: number;
}

/** An archive whose content matches the hash in its name. */
export interface ArchiveFile extends Content {
  readonly path: string;
  /** The transcript that was archived; that file may no longer exist. */
  readonly transcript: string;
}

/** Path of the archive of a transcript with these bytes. */
export function transcriptArchivePath(transcript: string, sha256: string): string {
  return `${transcript}.integrity-${sha256.slice(0, 12)}.bak`;
}

/** The transcript that an archive's path belongs to, by the name alone; undefined for any other name. */
export function findTranscript(archive: string): string | undefined {
  const name = ARCHIVE.exec(basename(archive))?.[1];
  return name === undefined ? undefined : join(dirname(archive), name);
}

/**
 * Reads an archive and compares its hash with its name. Throws `archive-foreign`, `archive-missing`, `archive-damaged`
 * or `store-unreadable`.
 */
export function readArchiveFile(path: string): ArchiveFile {
  const transcript = findTranscript(path);
  if (transcript === undefined) {
    throw storeError("archive-foreign", {
      expected: "an archive of a transcript, <session>.jsonl.integrity-<hash>.bak",
      found: `a file named ${basename(path)}`,
      todo:
        "Name a file that openclaw-integrity wrote, under the name it has; " +
        "its log line and its message to the user name it.",
    });
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw storeError("archive-foreign", {
      expected: `an archive at ${path}`,
      found: "a folder",
      todo: "Name the archive itself.",
    });
  }
  const content = readContent(path);
  if (content === undefined) {
    throw storeError("archive-missing", {
      expected: `an archive at ${path}`,
      found: "nothing there",
      todo: "Correct the path.",
    });
  }
  const named = ARCHIVE.exec(basename(path))?.[2] ?? "";
  if (!content.sha256.startsWith(named)) {
    throw storeError("archive-damaged", {
      expected: `bytes whose SHA-256 begins with ${named}, as the name of ${path} says`,
      found: content.sha256,
      todo: "The archive was changed or cut off. Take another copy of it (a backup); nothing was changed.",
    });
  }
  return { path, transcript, ...content };
}

/** Reads a file; undefined when there is none. Throws `store-unreadable`. */
export function readContent(path: string): Content | undefined {
  try {
    // By one handle, so that bytes and stat belong to the same file even if it is replaced meanwhile.
    const handle = openSync(path, "r");
    try {
      const bytes = readFileSync(handle);
      const { mode, uid, gid, ino } = fstatSync(handle);
      return {
        bytes,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        mode: mode & 0o777,
        owner: { uid, gid },
        inode: ino,
      };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw storeError("store-unreadable", {
      expected: `to read ${path}`,
      found: describeError(error),
      todo: "Run it as the user OpenClaw runs as; nothing was changed.",
      cause: error,
    });
  }
}

/**
 * Writes a copy of a transcript next to it, readable by the same users, and returns the copy's path; equal bytes are
 * stored once. Throws `not-writable`, `unsafe-path`, and `store-unreadable` for a file that is in the copy's place.
 */
export function archiveTranscript(transcript: string, { bytes, sha256, mode, owner, inode }: Content): string {
  const path = transcriptArchivePath(transcript, sha256);
  const present = lstatSync(path, { throwIfNoEntry: false });
  // A file of this name with other bytes is damaged; a link, or a hard link to the transcript itself, is no copy. A
  // restore would accept none of them.
  const isKept = present?.isFile() === true && present.ino !== inode && readContent(path)?.sha256 === sha256;
  if (!isKept) putFile(path, bytes, mode, { owner, shared: "allow", last: "replace" });
  return path;
}
