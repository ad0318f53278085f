import type { Catalog } from "../store/index.ts";
import { ownFiles, type OwnFile } from "./holders/archives.ts";
import { removeFiles } from "./holders/read-folder.ts";

/** Archives that a rule is about. */
export interface AgedArchives {
  /** Older than the rule allows. */
  readonly old: readonly OwnFile[];
  /** As old, and kept: the youngest of a session that OpenClaw can no longer read. */
  readonly kept: readonly OwnFile[];
}

/**
 * Copies of transcripts and path notes that were made before `before`. The youngest of each session that OpenClaw has
 * no longer, or cannot read, is kept: it may be the last there is of that conversation. Changes nothing. Throws
 * `store-unreadable`.
 */
export function agedArchives(
  stateDirectory: string,
  catalog: Catalog,
  transcripts: readonly string[],
  before: number,
): AgedArchives {
  const { sessions, problems } = catalog.list();
  const all = ownFiles(stateDirectory, transcripts).filter(({ kind }) => kind !== "unfinished_file");
  const isReadable = (sessionId: string): boolean => {
    // A store that cannot be read holds nobody's history for certain.
    const session = problems.length > 0 ? undefined : sessions.find((one) => one.sessionId === sessionId);
    if (session === undefined || session.unread !== undefined) return false;
    try {
      return catalog.read(session).rows.length > 0;
    } catch {
      return false;
    }
  };
  const [old, kept]: [OwnFile[], OwnFile[]] = [[], []];
  for (const [sessionId, archives] of Map.groupBy(all, (archive) => archive.sessionId)) {
    const aged = archives.filter(({ modifiedAt }) => modifiedAt < before);
    if (aged.length === 0) continue;
    const youngest = isReadable(sessionId)
      ? undefined
      : archives.reduce((one, other) => (isYounger(other, one) ? other : one));
    for (const archive of aged) (archive === youngest ? kept : old).push(archive);
  }
  return { old, kept };
}

/** A copy tells more than a note of where rows were. */
function isYounger(one: OwnFile, other: OwnFile): boolean {
  if (one.kind !== other.kind) return one.kind === "archive";
  return one.modifiedAt > other.modifiedAt;
}

/** Deletes them. Throws `not-writable`. */
export function removeArchives(archives: readonly OwnFile[]): void {
  removeFiles(archives.map(({ path }) => path));
}
