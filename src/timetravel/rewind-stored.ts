import { existsSync } from "node:fs";
import { journalFile, openJournal } from "../journal/index.ts";
import { findSession, findSummary, type Catalog, type SessionStore } from "../store/index.ts";
import { rewind, type RewindOptions, type Rewound } from "./rewind.ts";
import { withStoredTimeline } from "./stored.ts";

/** Options of a rewind of a stored session. */
export interface StoredRewind extends Omit<RewindOptions, "journal"> {
  /** Id of a session, or key of its conversation. */
  readonly which: string;
  readonly agentId?: string | undefined;
  /** The target, in a form that {@link resolveTarget} accepts. */
  readonly place: string;
  /** Whether refusals may show words of messages; false by default. */
  readonly withWords?: boolean | undefined;
}

/**
 * {@link rewind} for a stored session, whose rows are read by the catalog and written by the store. Rejects with their
 * errors too.
 */
export async function rewindStored(
  catalog: Catalog,
  store: SessionStore,
  stateDirectory: string,
  { which, agentId, place, withWords = false, ...options }: StoredRewind,
): Promise<Rewound> {
  const summary = findSummary(catalog, which, agentId);
  // The session is opened before the history is read: an entry that OpenClaw writes after that makes the commit of the
  // move fail.
  const session = findSession(store, summary.sessionId, summary.agentId);
  const { history, target } = withStoredTimeline(catalog, summary, stateDirectory, "look", (stored) => ({
    history: stored.history,
    target: stored.resolve(place, withWords),
  }));
  const file = journalFile(stateDirectory);
  const journal = existsSync(file) ? openJournal(file, { busyTimeoutMs: 5000 }) : undefined;
  try {
    return await rewind(session, history, target, { ...options, journal });
  } finally {
    journal?.close();
  }
}
