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
import { workspaceNames } from "./holders/workspace-files.ts";

/** The present state of OpenClaw's store. */
export interface StoreNow {
  readonly sessions: readonly SessionSummary[];
  /** Which stores could not be read, in sentences for users. */
  readonly problems: readonly string[];
  readonly rows: AgentRows;
  /** Session id by conversation key from `sessions.json`, whether the session is stored or not. */
  readonly indexed: ReadonlyMap<string, string | undefined>;
  /** Transcripts of former sessions that OpenClaw keeps under another name. */
  readonly renamed: readonly RenamedTranscript[];
}

/** All sessions and conversations that are named in OpenClaw's store or in files of this project, existing or not. */
export interface Names extends StoreNow {
  /** Sessions and conversations of which this project keeps data. */
  readonly ours: readonly NamedSession[];
  /** Every pair of session and conversation that any store names, this project's or OpenClaw's. */
  readonly all: readonly Omit<NamedSession, "hasWords">[];
  /** Copies of transcripts, and path notes. */
  readonly files: readonly OwnFile[];
  /** Paths of all transcripts, present and former, also outside OpenClaw's folders. */
  readonly transcripts: readonly string[];
  readonly list: readonly KnownSession[];
  readonly deletions: readonly SeenDeletion[];
  readonly begun: readonly BegunPurge[];
}

/** Reads the state of OpenClaw's store. Changes nothing. Throws StoreErrors. */
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

/** The ids of OpenClaw's sessions, including those of conversations of which nothing is stored yet. */
export function sessionsThere({ sessions, indexed }: StoreNow): Set<string> {
  return new Set([
    ...sessions.map(({ sessionId }) => sessionId),
    ...[...indexed.values()].filter((id) => id !== undefined),
  ]);
}

/**
 * The marks that deletions of sessions leave: renamed transcripts (to 2026.7), and transcripts that the database keeps
 * as deleted (since 2026.8). A session that was also reset does not count as deleted. Nor does an earlier session of a
 * conversation that continues: OpenClaw removes those to free disk space.
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
 * Gathers all names from OpenClaw's store and the files of this project. Changes nothing. Throws JournalErrors and
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
    ...workspaceNames(stateDirectory),
    ...files.map((file) => named(file, file.kind !== "path_note")),
    ...incidentFiles(stateDirectory).map((file) => named(file, false)),
    ...projects.map((sessionKey) => named({ sessionKey }, true)),
    // Subjects of unfinished purges: data of any kind may be left of them.
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

/** Reads all `sessions.json`; one that cannot be read is skipped, because the catalog reports it. */
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
