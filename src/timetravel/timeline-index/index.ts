/**
 * The timeline index, a file beside OpenClaw's store: hashes and action logs, which can be rebuilt from rows, and the
 * names that users gave to places.
 */
import { join } from "node:path";
import { openFile, type FileOptions } from "../../journal/index.ts";
import type { Connection } from "../../journal/sqlite.ts";
import { KeptActions } from "./kept-actions.ts";
import { KeptHashes } from "./kept-hashes.ts";
import { References } from "./references.ts";
import { INDEX_SCHEMA } from "./schema.ts";

export { type PlacedReference, type Reference, type ReferenceScope } from "./references.ts";

/** Path of the timeline index in a state directory. */
export function timelineIndexFile(stateDirectory: string): string {
  return join(stateDirectory, "openclaw-integrity-timeline.sqlite");
}

/** The open index. Every method throws a JournalError when the database fails. */
export class TimelineIndex {
  readonly file: string;
  readonly hashes: KeptHashes;
  readonly actions: KeptActions;
  readonly references: References;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.file = connection.file;
    this.#connection = connection;
    this.hashes = new KeptHashes(connection);
    this.actions = new KeptActions(connection);
    this.references = new References(connection);
  }

  /** Deletes the data that can be rebuilt, of one session or of all; names stay. */
  drop(sessionId: string | null = null): void {
    this.#connection.transaction(() => {
      // `nodes` has the hashes.
      for (const table of ["nodes", "actions"])
        this.#connection.prepare(`DELETE FROM ${table} WHERE session_id = ?1 OR ?1 IS NULL`).run(sessionId);
    });
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * Opens the index, which is created if it is missing. Throws a JournalError as {@link openFile} does; a file of a later
 * version or of another program is not changed.
 */
export function openTimelineIndex(file: string, options: FileOptions = {}): TimelineIndex {
  return openFile(file, INDEX_SCHEMA, options, (connection) => new TimelineIndex(connection));
}
