import type { IncidentRow } from "./rows.ts";
import { type Connection, parseStored, type Statement } from "./sqlite.ts";
import { toJson } from "../transcript/json/json.ts";

/** A recorded problem, for later diagnosis. Holds no words of a conversation. */
export interface JournalIncident {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  sessionId?: string;
  /** The kind of problem: `content_filter`, `history`, `interrupted_call`, ... */
  kind: string;
  details: Record<string, unknown>;
}

/**
 * The incidents of the journal. Every method throws a JournalError when the database fails.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Incidents, openJournal } from "openclaw-integrity/journal";
 *
 * const journal = openJournal(":memory:");
 * const incidents: Incidents = journal.incidents;
 * incidents.log({ sessionId: "s1", kind: "content_filter", details: { api: "anthropic-messages" } });
 * incidents.log({ kind: "history", details: {} });
 * assert.deepEqual(
 *   incidents.list().map(({ kind }) => kind),
 *   ["history", "content_filter"], // youngest first
 * );
 * assert.equal(incidents.list({ sessionId: "s1", limit: 10 }).length, 1);
 * journal.close();
 * ```
 */
export class Incidents {
  readonly #now: () => number;
  readonly #insert: Statement;
  readonly #list: Statement;

  constructor(connection: Connection, now: () => number) {
    this.#now = now;
    this.#insert = connection.prepare("INSERT INTO incidents (at, session_id, kind, details) VALUES (?, ?, ?, ?)");
    this.#list = connection.prepare(
      "SELECT * FROM incidents WHERE session_id = ?1 OR ?1 IS NULL ORDER BY id DESC LIMIT ?2",
    );
  }

  /** Inserts an incident; returns its row id. */
  log(incident: Omit<JournalIncident, "id" | "at">): number {
    return this.#insert.run(this.#now(), incident.sessionId ?? null, incident.kind, toJson(incident.details)).id;
  }

  /** Returns the youngest `limit` incidents of one session or of all sessions, youngest first. */
  list({ sessionId, limit = 100 }: { sessionId?: string; limit?: number } = {}): JournalIncident[] {
    return this.#list.all<IncidentRow>(sessionId ?? null, limit).map(toIncident);
  }
}

/** Converts a row of `incidents`. */
function toIncident({ id, at, session_id, kind, details }: IncidentRow): JournalIncident {
  return {
    id,
    at,
    kind,
    details: parseStored(details) as Record<string, unknown>,
    ...(session_id !== null && { sessionId: session_id }),
  };
}
