/**
 * What is kept beside OpenClaw's rows of time travel: hashes and the action log, which are made anew at will, and names
 * that people gave. Issue 8, item 4.
 */
import { join } from "node:path";
import { openFile, type FileOptions } from "../../journal/index.ts";
import type { Connection } from "../../journal/sqlite.ts";
import { KeptActions } from "./kept-actions.ts";
import { KeptHashes } from "./kept-hashes.ts";
import { References } from "./references.ts";
import { INDEX_SCHEMA } from "./schema.ts";

export { HEAD_REFERENCE, type PlacedReference, type Reference, type ReferenceScope } from "./references.ts";

/** Where the index of an OpenClaw lies: one file in its state directory. */
export function sideIndexFile(stateDirectory: string): string {
  return join(stateDirectory, "openclaw-integrity-timeline.sqlite");
}

/** The index in its file. Every method throws a JournalError when the database fails. */
export class SideIndex {
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

  /** Forgets what can be made anew, of one session or of all; names stay. */
  drop(sessionId: string | null = null): void {
    this.#connection.transaction(() => {
      for (const table of ["nodes", "actions"])
        this.#connection.prepare(`DELETE FROM ${table} WHERE session_id = ?1 OR ?1 IS NULL`).run(sessionId);
    });
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * Opens the index, and makes it where it is not. Throws a JournalError as {@link openFile} does: a file of a later
 * version or another program's is not changed.
 */
export function openSideIndex(file: string, options: FileOptions = {}): SideIndex {
  return openFile(file, INDEX_SCHEMA, options, (connection) => new SideIndex(connection));
}
