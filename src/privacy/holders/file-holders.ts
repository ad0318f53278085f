import { groupBy } from "../../base/group-by.ts";
import { dirname } from "node:path";
import { isBeingWritten, leftovers, ownFiles, type OwnFile } from "./archives.ts";
import type { Holder, Holding, HoldingKind, Subject } from "./holder.ts";
import { incidentFiles, type IncidentFile } from "./incident-files.ts";
import { type FoundFile, removeFiles } from "./read-folder.ts";

/** Whether a file is about the subject. */
export function isAbout(
  { sessionId, sessionKey }: Pick<OwnFile | IncidentFile, "sessionId" | "sessionKey">,
  subject: Subject,
): boolean {
  return (
    (sessionId !== undefined && subject.sessionIds.has(sessionId)) ||
    (sessionKey !== undefined && subject.sessionKeys.has(sessionKey))
  );
}

/** Copies of transcripts and path notes as a holder; `transcripts` names transcripts outside OpenClaw's own folders. */
export function archiveHolder(stateDirectory: string, transcripts: () => readonly string[]): Holder {
  const listFiles = (subject: Subject): OwnFile[] => {
    const named = transcripts();
    // Files that a kill left unfinished list all sessions, this one too: they go with the first session that does.
    return [
      ...ownFiles(stateDirectory, named).filter((file) => isAbout(file, subject)),
      ...leftovers(stateDirectory, named).filter((file) => !isBeingWritten(file)),
    ];
  };
  return {
    find: (subject) =>
      groupHoldings(
        listFiles(subject),
        ({ kind }) => kind,
        ({ kind }) => kind !== "path_note",
      ),
    erase(subject) {
      const found = listFiles(subject);
      const written = found.filter(isBeingWritten);
      removeFiles(found.filter((file) => !written.includes(file)).map(({ path }) => path));
      return written.map(({ path }) => `${path} was written to in the last minute and may still be: run it again then`);
    },
  };
}

/** Files with incidents as a holder. */
export function incidentHolder(stateDirectory: string): Holder {
  const listFiles = (subject: Subject): IncidentFile[] =>
    incidentFiles(stateDirectory).filter((file) => isAbout(file, subject));
  return {
    find: (subject) =>
      groupHoldings(
        listFiles(subject),
        () => "incident_file",
        () => false,
      ),
    erase(subject) {
      removeFiles(listFiles(subject).map(({ path }) => path));
      return [];
    },
  };
}

/** Groups files by folder and kind, one holding for each group. */
function groupHoldings<File extends FoundFile>(
  files: readonly File[],
  toKind: (file: File) => HoldingKind,
  hasWords: (file: File) => boolean,
): Holding[] {
  const groups = groupBy(files, (file) => `${toKind(file)} ${dirname(file.path)}`);
  return [...groups.values()].map((group) => ({
    kind: toKind(group[0]!),
    place: group.length === 1 ? group[0]!.path : dirname(group[0]!.path),
    count: group.length,
    bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
    hasWords: group.some(hasWords),
  }));
}
