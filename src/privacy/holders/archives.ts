import { dirname, join } from "node:path";
import { isAlive } from "../../base/processes.ts";
import { ARCHIVES, readManifest } from "../../store/archives/manifest.ts";
import { transcriptOf } from "../../store/archives/archive-file.ts";
import { sessionIdOf } from "../../store/sessions/session-index.ts";
import { agentsIn } from "../../store/state-directory.ts";
import { filesIn, type FoundFile } from "./read-folder.ts";

/** A file of ours beside a transcript or in the folder of path notes, and whose it is. */
export interface OwnFile extends FoundFile {
  readonly kind: "archive" | "unfinished_file" | "path_note";
  readonly sessionId: string;
  readonly sessionKey?: string;
}

/** Everything that this project writes beside a transcript has the transcript's name and this behind it. */
const BESIDE = /^(.+\.jsonl)\.integrity-/;
/** Files that are about every session, while they are being written. */
const OF_ALL = /^(?:sessions|openclaw-integrity-scan)\.json\.integrity-/;
/** Most files that are being written have the writer's id in their names. */
const WRITER = /[-.](\d+)\.tmp$/;
/** Nobody writes a file for so long without adding to it. */
const WRITTEN_WITHIN_MS = 60_000;

/** The folders in which transcripts lie, those that OpenClaw's indexes have named elsewhere included. */
export function transcriptFolders(stateDirectory: string, transcripts: readonly string[]): string[] {
  return [
    ...new Set([
      ...agentsIn(stateDirectory).map((agent) => join(stateDirectory, "agents", agent, "sessions")),
      ...transcripts.map((path) => dirname(path)),
    ]),
  ];
}

/** Copies of transcripts, what kills have left of them, and path notes, of all sessions. Throws `store-unreadable`. */
export function ownFiles(stateDirectory: string, transcripts: readonly string[]): OwnFile[] {
  const beside = transcriptFolders(stateDirectory, transcripts)
    .flatMap(filesIn)
    .flatMap((file): OwnFile[] => {
      const transcript = BESIDE.exec(file.name)?.[1];
      if (transcript === undefined) return [];
      return [
        {
          ...file,
          kind: transcriptOf(file.path) === undefined ? "unfinished_file" : "archive",
          sessionId: sessionIdOf(transcript),
        },
      ];
    });
  return [...beside, ...filesIn(join(stateDirectory, ARCHIVES)).flatMap(noteAt)];
}

function noteAt(file: FoundFile): OwnFile[] {
  try {
    const { sessionId, sessionKey } = readManifest(file.path);
    return [{ ...file, kind: "path_note", sessionId, ...(sessionKey !== undefined && { sessionKey }) }];
  } catch {
    // Cut off by a kill, or damaged: its name begins with the session it is about.
    const sessionId = /^(.+?)-\d{4}-\d\d-\d\dT/.exec(file.name)?.[1];
    return sessionId === undefined ? [] : [{ ...file, kind: "path_note", sessionId }];
  }
}

/**
 * What kills have left of files that name every session: OpenClaw's index while it was being written, and the results
 * of the last scan.
 */
export function leftovers(stateDirectory: string, transcripts: readonly string[]): OwnFile[] {
  return [stateDirectory, ...transcriptFolders(stateDirectory, transcripts)]
    .flatMap(filesIn)
    .filter(({ name }) => OF_ALL.test(name))
    .map((file) => ({ ...file, kind: "unfinished_file", sessionId: "" }));
}

/** Whether somebody is writing the file just now. */
export function isBeingWritten({ kind, name, modifiedAt }: OwnFile): boolean {
  if (kind !== "unfinished_file" || Date.now() - modifiedAt >= WRITTEN_WITHIN_MS) return false;
  const writer = WRITER.exec(name)?.[1];
  return writer === undefined || isAlive(Number(writer));
}
