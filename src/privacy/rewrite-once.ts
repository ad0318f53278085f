import { journalFile, type Schema } from "../journal/index.ts";
import { JOURNAL_SCHEMA } from "../journal/schema.ts";
import { sideIndexFile } from "../timetravel/side-index/index.ts";
import { INDEX_SCHEMA } from "../timetravel/side-index/schema.ts";
import { eraseRows } from "./holders/erase-rows.ts";
import type { KnownSessions } from "./holders/known-sessions.ts";

/**
 * Rewrites, once, the databases that an earlier version has written, because that did not zero what it deleted. Returns
 * why a file could not be rewritten, in sentences. Throws a JournalError.
 */
export function rewriteOnce(stateDirectory: string, known: KnownSessions, now: number): string[] {
  const files: [string, Schema][] = [
    [journalFile(stateDirectory), JOURNAL_SCHEMA],
    [sideIndexFile(stateDirectory), INDEX_SCHEMA],
  ];
  return files
    .filter(([file]) => !known.isRewritten(file))
    .flatMap(([file, schema]) => {
      const left = eraseRows(file, schema, () => undefined, { rewrite: true });
      if (left.length === 0) known.noteRewritten(file, now);
      return left;
    });
}
