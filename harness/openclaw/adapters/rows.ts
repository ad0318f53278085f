import { DatabaseSync } from "node:sqlite";
import { isEntry, parseLines, type TranscriptEntry } from "../transcript.ts";
import type { Session } from "../types.ts";
import { importChunk } from "./chunk.ts";

interface Scope {
  agentId: string;
  sessionKey: string;
  sessionId: string;
}

interface RowRewrite {
  seq: number;
  event: unknown;
  expectedEventJson: string;
}

/** What we use of OpenClaw's own access to its sessions; going through it keeps its projections and fences right. */
interface SessionAccessor {
  replaceSessionEntry(scope: Scope, entry: Record<string, unknown>): Promise<unknown>;
  replaceTranscriptEvents(scope: Scope, events: unknown[]): Promise<void>;
  rewriteTranscriptEventRowsExact(
    scope: Scope,
    change: { expectedGeneration: string; rows: RowRewrite[] },
  ): Promise<unknown>;
  waitForSessionTranscriptProjection(scope: Scope): Promise<void>;
  loadSessionEntry(scope: Scope): { sessionId?: string } | undefined;
  loadTranscriptEventsSync(scope: Scope): unknown[];
  resolveSessionTranscriptDatabasePath(scope: Scope): string;
}

/** Stores and reads transcripts in the SQLite store of a release. */
export async function openRows(dist: string) {
  const accessor = await importChunk<SessionAccessor>(dist, /^session-accessor-.*\.m?js$/, [
    "replaceSessionEntry",
    "replaceTranscriptEvents",
    "rewriteTranscriptEventRowsExact",
    "waitForSessionTranscriptProjection",
    "loadSessionEntry",
    "loadTranscriptEventsSync",
    "resolveSessionTranscriptDatabasePath",
  ]);

  return {
    async store(session: Session): Promise<void> {
      const scope = toScope(session);
      const now = Date.now();
      await accessor.replaceSessionEntry(scope, { sessionId: session.id, updatedAt: now, sessionStartedAt: now });
      const { events, rewrites } = prepare(session);
      await accessor.replaceTranscriptEvents(scope, events);
      if (rewrites.length > 0) {
        const expectedGeneration = readGeneration(accessor.resolveSessionTranscriptDatabasePath(scope), session.id);
        const written = await accessor.rewriteTranscriptEventRowsExact(scope, { expectedGeneration, rows: rewrites });
        if (!written) throw new Error("OpenClaw refused the rows with repeated ids");
      }
      // The first turn fails with "projection is rebuilding" if it comes too early.
      await accessor.waitForSessionTranscriptProjection(scope);
      const stored = accessor.loadTranscriptEventsSync(scope).length;
      if (stored !== events.length) throw new Error(`OpenClaw stored ${stored} of ${events.length} rows`);
    },

    async read(session: Session): Promise<TranscriptEntry[]> {
      const scope = toScope(session);
      // A reset gives the conversation a new session under the same key.
      const sessionId = accessor.loadSessionEntry(scope)?.sessionId ?? session.id;
      return accessor.loadTranscriptEventsSync({ ...scope, sessionId }).filter(isEntry);
    },
  };
}

/**
 * The rows of a transcript. A header gets the id of the session: OpenClaw never stores another one there, and with
 * another one it refuses its own second attempt of a turn ("session writer claim changed"). An append drops a row whose
 * id is there already, so such a row is appended with a placeholder for an id and put right by the exact rewrite.
 */
function prepare(session: Session): { events: unknown[]; rewrites: RowRewrite[] } {
  const seen = new Set<string>();
  const rewrites: RowRewrite[] = [];
  const events = parseLines(session.transcript).map((value, seq) => {
    if (!isEntry(value)) return value;
    const event = value["type"] === "session" && typeof value["id"] === "string" ? { ...value, id: session.id } : value;
    const id = typeof event["id"] === "string" ? event["id"].trim() : "";
    if (!seen.has(id)) {
      if (id) seen.add(id);
      return event;
    }
    const placeholder = { ...event, id: `${session.id}-${seq}` };
    rewrites.push({ seq, event, expectedEventJson: JSON.stringify(placeholder) });
    return placeholder;
  });
  return { events, rewrites };
}

/** The generation of the stored rows, which an exact rewrite must name; no exported function tells it. */
function readGeneration(databasePath: string, sessionId: string): string {
  const database = new DatabaseSync(databasePath, { readOnly: true });
  try {
    const row = database
      .prepare("SELECT generation FROM transcript_rewrite_watermarks WHERE session_id = ?")
      .get(sessionId);
    return String(row?.["generation"]);
  } finally {
    database.close();
  }
}

function toScope(session: Session): Scope {
  return { agentId: "main", sessionKey: session.key, sessionId: session.id };
}
