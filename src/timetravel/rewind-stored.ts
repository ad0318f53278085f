import { existsSync } from "node:fs";
import { journalFile, openJournal } from "../journal/index.ts";
import { findSession, findSummary, type Catalog, type SessionStore } from "../store/index.ts";
import { rewind, type RewindOptions, type Rewound } from "./rewind.ts";
import { withStoredTimeline } from "./stored.ts";

/** Which conversation, and where it goes. */
export interface StoredRewind extends Omit<RewindOptions, "journal"> {
  /** A session's id, the key of its conversation, or a transcript file. */
  readonly which: string;
  readonly agentId?: string | undefined;
  /** As {@link resolveTarget} takes it. */
  readonly place: string;
}

/**
 * {@link rewind} for a session as it is stored now: its rows are read by the catalog and written by the store. Rejects
 * with their errors too.
 */
export async function rewindStored(
  catalog: Catalog,
  store: SessionStore,
  stateDirectory: string,
  { which, agentId, place, ...options }: StoredRewind,
): Promise<Rewound> {
  const summary = findSummary(catalog, which, agentId);
  // The session first: what is written behind it then is seen by what commits the move.
  const session = findSession(store, summary.sessionId, summary.agentId);
  const { history, target } = withStoredTimeline(catalog, summary, stateDirectory, "look", (stored) => ({
    history: stored.history,
    target: stored.resolve(place),
  }));
  const file = journalFile(stateDirectory);
  const journal = existsSync(file) ? openJournal(file, { busyTimeoutMs: 5000 }) : undefined;
  try {
    return await rewind(session, history, target, { ...options, journal });
  } finally {
    journal?.close();
  }
}
