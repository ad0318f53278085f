import { existsSync } from "node:fs";
import { journalFile, openJournal } from "../journal/index.ts";
import { findSession, findSummary, type Catalog, type SessionStore } from "../store/index.ts";
import { type Owner, WorkspaceStore } from "../workspace/index.ts";
import type { WorkReader } from "./carry/work.ts";
import { rewind, type RewindOptions, type Rewound } from "./rewind.ts";
import { settleStored } from "./files/settle-stored.ts";
import { requireLastMove } from "./files/undo.ts";
import { withStoredTimeline } from "./stored.ts";

/** Options of a rewind of a stored session. */
export interface StoredRewind extends Omit<RewindOptions, "journal" | "workspace" | "work"> {
  /** Id of a session, or key of its conversation. */
  readonly which: string;
  readonly agentId?: string | undefined;
  /** The target, in a form that {@link resolveTarget} accepts; undefined takes the last move back, files included. */
  readonly place?: string | undefined;
  /** Whether refusals may show words of messages; false by default. */
  readonly withWords?: boolean | undefined;
  /** Returns what reads the recorded work of a conversation; undefined where none is recorded. */
  readonly toWorkReader?: ((sessionKey: string) => WorkReader | undefined) | undefined;
}

/**
 * {@link rewind} for a stored session, whose rows are read by the catalog and written by the store. Rejects with their
 * errors too.
 */
export async function rewindStored(
  catalog: Catalog,
  store: SessionStore,
  stateDirectory: string,
  { which, agentId, place, withWords = false, files, toWorkReader, ...options }: StoredRewind,
): Promise<Rewound> {
  const summary = findSummary(catalog, which, agentId);
  // Before the rows are read: a move that a kill had cut off decides which files are the present ones.
  const workspace = workspaceOfSession(stateDirectory, summary);
  const isWritten = workspace !== undefined && options.dryRun !== true;
  const { problems } = isWritten ? await settleStored(catalog, workspace) : { problems: [] };
  // The session is opened before the history is read: an entry that OpenClaw writes after that makes the commit of the
  // move fail.
  const session = findSession(store, summary.sessionId, summary.agentId);
  const { history, target, asked } = withStoredTimeline(catalog, summary, stateDirectory, "look", (stored) => {
    const last = place === undefined ? requireLastMove(stored.history) : undefined;
    return {
      history: stored.history,
      target: stored.resolve(place ?? last!.place, withWords),
      asked: files ?? last?.files,
    };
  });
  const sessionKey = options.sessionKey ?? summary.sessionKey;
  const file = journalFile(stateDirectory);
  const journal = existsSync(file) ? openJournal(file, { busyTimeoutMs: 5000 }) : undefined;
  try {
    const rewound = await rewind(session, history, target, {
      ...options,
      files: asked,
      journal,
      work: sessionKey === undefined ? undefined : toWorkReader?.(sessionKey),
      ...(workspace && { workspace: { store: workspace, stateDirectory } }),
    });
    return { ...rewound, problems: [...problems, ...rewound.problems] };
  } finally {
    journal?.close();
  }
}

/** Returns the snapshots of the workspace in which this session last changed files; undefined where there are none. */
export function workspaceOfSession(stateDirectory: string, owner: Owner): WorkspaceStore | undefined {
  const known = WorkspaceStore.all(stateDirectory).flatMap((store) => {
    const at = store.exists ? store.read((records) => records.lastBegun(owner)) : undefined;
    return at === undefined ? [] : [{ store, at }];
  });
  return known.toSorted((one, other) => other.at - one.at)[0]?.store;
}
