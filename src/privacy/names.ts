import { join } from "node:path";
import { readIndex } from "../store/sessions/session-index.ts";
import { agentsIn } from "../store/state-directory.ts";
import type { Catalog, SessionSummary } from "../store/index.ts";
import { isObject } from "../transcript/json/json.ts";
import { agentRows, type AgentRows, type DeletedRows } from "./holders/agent-rows.ts";
import { ownFiles, type OwnFile } from "./holders/archives.ts";
import { incidentFiles } from "./holders/incident-files.ts";
import { journalNames } from "./holders/journal-rows.ts";
import type { BegunPurge, KnownSession, KnownSessions, SeenDeletion } from "./holders/known-sessions.ts";
import type { NamedSession } from "./holders/named-session.ts";
import { renamedTranscripts, type RenamedTranscript } from "./holders/renamed-transcripts.ts";
import { timelineNames } from "./holders/timeline-rows.ts";

/** OpenClaw's store as it is now. */
export interface StoreNow {
  readonly sessions: readonly SessionSummary[];
  /** Stores that could not be read, in sentences. */
  readonly problems: readonly string[];
  readonly rows: AgentRows;
  /** The session that each conversation of a `sessions.json` has, stored or not. */
  readonly indexed: ReadonlyMap<string, string | undefined>;
  /** What OpenClaw keeps of sessions that are no longer there. */
  readonly renamed: readonly RenamedTranscript[];
}

/** What is known by name: in OpenClaw's store, and in files of ours about sessions that are no longer there. */
export interface Names extends StoreNow {
  /** Sessions and conversations that something of ours is about. */
  readonly ours: readonly NamedSession[];
  /** Everything that names a session or a conversation, ours or OpenClaw's. */
  readonly all: readonly Omit<NamedSession, "hasWords">[];
  /** Copies of transcripts, and path notes. */
  readonly files: readonly OwnFile[];
  /** Transcripts that lie, or lay, elsewhere than in OpenClaw's folders. */
  readonly transcripts: readonly string[];
  readonly list: readonly KnownSession[];
  readonly deletions: readonly SeenDeletion[];
  readonly begun: readonly BegunPurge[];
}

/** Looks into OpenClaw's store. Changes nothing. Throws StoreErrors. */
export function storeNow(stateDirectory: string, catalog: Catalog): StoreNow {
  const { sessions, problems } = catalog.list();
  return {
    sessions,
    problems,
    rows: agentRows(stateDirectory),
    indexed: indexedSessions(stateDirectory),
    renamed: renamedTranscripts(stateDirectory),
  };
}

/** The sessions that OpenClaw has, those included that a conversation goes on in and that nothing is stored of yet. */
export function sessionsThere({ sessions, indexed }: StoreNow): Set<string> {
  return new Set([
    ...sessions.map(({ sessionId }) => sessionId),
    ...[...indexed.values()].filter((id) => id !== undefined),
  ]);
}

/**
 * What OpenClaw has left of sessions that somebody has deleted: renamed transcripts (to 2026.7), transcripts that its
 * database keeps as deleted (since 2026.8). One that was reset too counts as reset. An earlier session of a
 * conversation that goes on was deleted by nobody: OpenClaw makes room on the disk so.
 */
export function deletionMarks({ renamed, rows }: StoreNow): {
  readonly files: readonly RenamedTranscript[];
  readonly rows: readonly DeletedRows[];
} {
  const reset = new Set(renamed.flatMap(({ reason, sessionId }) => (reason === "reset" ? [sessionId] : [])));
  return {
    files: renamed.filter(
      ({ reason, agentId, sessionId }) => reason === "deleted" && !rows.agents.has(agentId) && !reset.has(sessionId),
    ),
    rows: rows.deleted.filter(
      ({ sessionId, sessionKey }) => !rows.sessionKeys.has(sessionKey) && !reset.has(sessionId),
    ),
  };
}

/**
 * Gathers what is known by name. Changes nothing. Throws what reading a file of ours throws: JournalErrors and
 * StoreErrors.
 */
export function gatherNames(
  stateDirectory: string,
  store: StoreNow,
  known: KnownSessions,
  projects: readonly string[],
): Names {
  const { sessions, rows, renamed, indexed } = store;
  const [list, deletions, begun] = [known.list(), known.deletions(), known.begun()];
  const transcripts = [
    ...sessions.filter(({ kind }) => kind === "file").map(({ place }) => place),
    ...list.flatMap(({ transcript }) => transcript ?? []),
  ];
  const files = ownFiles(stateDirectory, transcripts);
  const ours: NamedSession[] = [
    ...journalNames(stateDirectory),
    ...timelineNames(stateDirectory),
    ...files.map((file) => named(file, file.kind !== "path_note")),
    ...incidentFiles(stateDirectory).map((file) => named(file, false)),
    ...projects.map((sessionKey) => named({ sessionKey }, true)),
    // What a kill has left of a purge, whatever it was.
    ...begun.flatMap(({ sessionIds, sessionKeys }) => [
      ...sessionIds.map((sessionId) => named({ sessionId }, true)),
      ...sessionKeys.map((sessionKey) => named({ sessionKey }, true)),
    ]),
  ];
  const others = [
    ...sessions,
    ...list,
    ...deletions,
    ...rows.deleted,
    ...renamed,
    ...[...indexed].map(([sessionKey, sessionId]) => ({ sessionKey, sessionId })),
    ...[...rows.sessionKeys].map((sessionKey) => ({ sessionKey })),
  ];
  return {
    ...store,
    ours,
    all: [...ours, ...others.map((one) => named(one, false))],
    files,
    transcripts,
    list,
    deletions,
    begun,
  };
}

function named(
  { sessionId, sessionKey }: { readonly sessionId?: string | undefined; readonly sessionKey?: string | undefined },
  hasWords: boolean,
): NamedSession {
  return { ...(sessionId !== undefined && { sessionId }), ...(sessionKey !== undefined && { sessionKey }), hasWords };
}

/** An index that cannot be read is a problem of the store's, which the catalog tells. */
function indexedSessions(stateDirectory: string): Map<string, string | undefined> {
  const indexed = new Map<string, string | undefined>();
  for (const agent of agentsIn(stateDirectory)) {
    try {
      const { entries } = readIndex(join(stateDirectory, "agents", agent, "sessions", "sessions.json")) ?? {
        entries: {},
      };
      for (const [key, entry] of Object.entries(entries))
        indexed.set(key, isObject(entry) && typeof entry.sessionId === "string" ? entry.sessionId : undefined);
    } catch {
      continue;
    }
  }
  return indexed;
}
