import { dirname, join } from "node:path";
import { isRecordArchive } from "../../store/archives/record-archive.ts";
import { ARCHIVES, readManifest } from "../../store/archives/manifest.ts";
import { findTranscript } from "../../store/archives/archive-file.ts";
import { parseSessionId } from "../../store/sessions/session-index.ts";
import { agentsIn } from "../../store/state-directory.ts";
import { filesIn, type FoundFile } from "./read-folder.ts";

/** A file of this project beside a transcript or in the folder of path notes, with its session. */
export interface OwnFile extends FoundFile {
  readonly kind: "archive" | "unfinished_file" | "path_note" | "record_copy";
  readonly sessionId: string;
  readonly sessionKey?: string;
}

/** Each file that this project writes beside a transcript begins with the transcript's name, followed by this. */
const BESIDE = /^(.+\.jsonl)\.integrity-/;
/** Unfinished versions of files that list every session. */
const OF_ALL = /^(?:sessions|openclaw-integrity-scan)\.json\.integrity-/;
/** A file that was not modified for longer is taken for one that a kill has left. */
const WRITTEN_WITHIN_MS = 60_000;

/**
 * The folders that contain transcripts, including those outside the state directory that OpenClaw's indexes have named.
 */
function transcriptFolders(stateDirectory: string, transcripts: readonly string[]): string[] {
  return [
    ...new Set([
      ...agentsIn(stateDirectory).map((agent) => join(stateDirectory, "agents", agent, "sessions")),
      ...transcripts.map((path) => dirname(path)),
    ]),
  ];
}

/**
 * Lists copies of transcripts, unfinished copies that kills have left, and path notes, of all sessions. Throws
 * `store-unreadable`.
 */
export function ownFiles(stateDirectory: string, transcripts: readonly string[]): OwnFile[] {
  const besideTranscripts = transcriptFolders(stateDirectory, transcripts)
    .flatMap(filesIn)
    .flatMap((file): OwnFile[] => {
      const transcript = BESIDE.exec(file.name)?.[1];
      if (transcript === undefined) return [];
      return [
        {
          ...file,
          kind: findTranscript(file.path) === undefined ? "unfinished_file" : "archive",
          sessionId: parseSessionId(transcript),
        },
      ];
    });
  return [...besideTranscripts, ...filesIn(join(stateDirectory, ARCHIVES)).flatMap(noteAt)];
}

function noteAt(file: FoundFile): OwnFile[] {
  try {
    const { sessionId, sessionKey } = readManifest(file.path);
    return [{ ...file, kind: "path_note", sessionId, ...(sessionKey !== undefined && { sessionKey }) }];
  } catch {
    // Another file, or a path note that is cut off or damaged: its name begins with the session's id.
    const sessionId = /^(.+?)-\d{4}-\d\d-\d\dT/.exec(file.name)?.[1];
    return sessionId === undefined
      ? []
      : [{ ...file, kind: isRecordArchive(file.name) ? "record_copy" : "path_note", sessionId }];
  }
}

/**
 * Returns unfinished files that kills have left and that name every session: OpenClaw's index, and the results of the
 * last scan.
 */
export function leftovers(stateDirectory: string, transcripts: readonly string[]): OwnFile[] {
  return [stateDirectory, ...transcriptFolders(stateDirectory, transcripts)]
    .flatMap(filesIn)
    .filter(({ name }) => OF_ALL.test(name))
    .map((file) => ({ ...file, kind: "unfinished_file", sessionId: "" }));
}

/** Whether a process may be writing the file at this moment. */
export function isBeingWritten({ kind, modifiedAt }: OwnFile): boolean {
  return kind === "unfinished_file" && Date.now() - modifiedAt < WRITTEN_WITHIN_MS;
}
