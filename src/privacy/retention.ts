import { groupBy } from "../base/group-by.ts";
import type { Catalog } from "../store/index.ts";
import { ownFiles, type OwnFile } from "./holders/archives.ts";
import { removeFiles } from "./holders/read-folder.ts";

/** The archives older than the retention rule allows. */
export interface AgedArchives {
  /** To be deleted. */
  readonly old: readonly OwnFile[];
  /** Kept all the same: the youngest archive of a session that OpenClaw can no longer read. */
  readonly kept: readonly OwnFile[];
}

/**
 * Finds copies of transcripts and path notes made before `before`. The youngest one of each session that OpenClaw no
 * longer has, or cannot read, is kept: it may be the last copy of that conversation. Changes nothing. Throws
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
    // While a store cannot be read, no session counts as readable.
    const session = problems.length > 0 ? undefined : sessions.find((one) => one.sessionId === sessionId);
    if (session === undefined || session.unread !== undefined) return false;
    try {
      return catalog.read(session).rows.length > 0;
    } catch {
      return false;
    }
  };
  const [old, kept]: [OwnFile[], OwnFile[]] = [[], []];
  for (const [sessionId, archives] of groupBy(all, (archive) => archive.sessionId)) {
    const aged = archives.filter(({ modifiedAt }) => modifiedAt < before);
    if (aged.length === 0) continue;
    const youngest = isReadable(sessionId)
      ? undefined
      : archives.reduce((one, other) => (isYounger(other, one) ? other : one));
    for (const archive of aged) (archive === youngest ? kept : old).push(archive);
  }
  return { old, kept };
}

/** What is the worth of a file for a conversation that OpenClaw no longer has: path notes contain no messages. */
const WORTH: readonly OwnFile["kind"][] = ["unfinished_file", "record_copy", "path_note", "archive"];

function isYounger(one: OwnFile, other: OwnFile): boolean {
  if (one.kind !== other.kind) return WORTH.indexOf(one.kind) > WORTH.indexOf(other.kind);
  return one.modifiedAt > other.modifiedAt;
}

/** Deletes archives. Throws `not-writable`. */
export function removeArchives(archives: readonly OwnFile[]): void {
  removeFiles(archives.map(({ path }) => path));
}
