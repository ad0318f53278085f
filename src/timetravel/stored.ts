import { existsSync } from "node:fs";
import { describeError } from "../base/coded-error.ts";
import { journalFile, openJournal, type Checkpoint } from "../journal/index.ts";
import type { Catalog, SessionSummary } from "../store/index.ts";
import { repairEntries } from "../transcript/entries.ts";
import { type Owner, WorkspaceStore } from "../workspace/index.ts";
import { buildActionLog, type HashedAction, withHashes } from "./action-log.ts";
import { historyOfRows } from "./history-of-rows.ts";
import type { History } from "./history.ts";
import { byShortId } from "./names/short-ids.ts";
import { NodeHashes } from "./node-hash.ts";
import {
  openTimelineIndex,
  type PlacedReference,
  timelineIndexFile,
  type TimelineIndex,
} from "./timeline-index/index.ts";
import { resolveTarget, type Target } from "./target.ts";

/** A stored session with its history, action log, hashes, names and checkpoints. */
export interface StoredTimeline {
  readonly session: SessionSummary;
  readonly history: History;
  readonly actions: readonly HashedAction[];
  readonly hashes: NodeHashes;
  readonly references: readonly PlacedReference[];
  readonly checkpoints: readonly Checkpoint[];
  /**
   * Marks (markOfEntry) of the entries behind which the agent has changed files of its workspace, as far as they are
   * kept.
   */
  readonly changed: ReadonlySet<string>;
  /** Why names, checkpoints or changes of files could not be read, in sentences; all other data is complete. */
  readonly problems: readonly string[];
  /** Returns the index for writing, when it was opened with `keep`. Throws the error of opening it. */
  readonly index: () => TimelineIndex;
  /**
   * {@link resolveTarget} with this session's checkpoints and names; refusals show words of messages only where
   * `withWords` is true. Throws its TimeTravelErrors, and the error of reading checkpoints or names when the target
   * needs them.
   */
  readonly resolve: (asked: string, withWords: boolean) => Target;
}

/**
 * How the index is used. `keep`: it is created if it is missing, and computed hashes are stored. `look`: it is only
 * read.
 */
export type IndexUse = "keep" | "look";

const BUSY_TIMEOUT_MS = 5000;

/**
 * Reads a session for `work`; with `keep`, stores the hashes that `work` computed and the action log afterwards. Throws
 * what the catalog throws when the rows cannot be read, and what `work` throws. Can run beside a gateway; OpenClaw's
 * store is not changed.
 */
export function withStoredTimeline<Value>(
  catalog: Catalog,
  session: SessionSummary,
  stateDirectory: string,
  use: IndexUse,
  work: (timeline: StoredTimeline) => Value,
): Value {
  // The same tree as in a patched OpenClaw: 2026.2 stores each answer to a command without a parentId.
  const rows = repairEntries(catalog.read(session).rows, { sessionId: session.sessionId, cwd: "" }).entries;
  // An operator may go back behind a reset: the store then has OpenClaw copy the history.
  const history = historyOfRows(rows, { overResets: true });
  const index = attempt(() => openIndex(stateDirectory, use));
  const checkpoints = attempt(() => readCheckpoints(stateDirectory, session.sessionId));
  const changed = attempt(() => changedAt(stateDirectory, session));
  try {
    const problems = [
      ...(index.error === undefined ? [] : [`names of places are not shown: ${describeError(index.error)}`]),
      ...(checkpoints.error === undefined ? [] : [`checkpoints are not shown: ${describeError(checkpoints.error)}`]),
      ...(changed.error === undefined ? [] : [`where files changed is not shown: ${describeError(changed.error)}`]),
    ];
    const { hashes, keep } = index.value?.hashes.load(session.sessionId, history) ?? {
      hashes: new NodeHashes(history),
      keep: () => undefined,
    };
    const actions = withHashes(buildActionLog(rows), hashes);
    const value = work({
      session,
      history,
      hashes,
      actions,
      problems,
      references: index.value?.references.placed(session, history, hashes) ?? [],
      checkpoints: checkpoints.value ?? [],
      changed: changed.value ?? new Set(),
      index: () => {
        if (index.error !== undefined) throw index.error;
        return index.value!;
      },
      resolve: (asked, withWords) =>
        resolveTarget(history, asked, {
          withWords,
          checkpoint: (written) => {
            if (checkpoints.error !== undefined) throw checkpoints.error;
            return byShortId(checkpoints.value ?? [], written)?.leafEntryId;
          },
          reference: (name) => {
            if (index.error !== undefined) throw index.error;
            return index.value?.references.resolve(session, name, history, hashes);
          },
        }),
    });
    // Storing is optional: hashes that cannot be stored are computed again the next time.
    if (use === "keep" && index.value) attempt(() => (keep(), index.value!.actions.keep(session.sessionId, actions)));
    return value;
  } finally {
    index.value?.close();
  }
}

function openIndex(stateDirectory: string, use: IndexUse): TimelineIndex | undefined {
  const file = timelineIndexFile(stateDirectory);
  if (use === "look" && !existsSync(file)) return undefined;
  return openTimelineIndex(file, { readOnly: use === "look", busyTimeoutMs: BUSY_TIMEOUT_MS });
}

function readCheckpoints(stateDirectory: string, sessionId: string): Checkpoint[] {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return [];
  const journal = openJournal(file, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return journal.checkpoints.list(sessionId).map(({ snapshot: _snapshot, ...checkpoint }) => checkpoint);
  } finally {
    journal.close();
  }
}

function changedAt(stateDirectory: string, owner: Owner): ReadonlySet<string> {
  const stores = WorkspaceStore.all(stateDirectory).filter((store) => store.exists);
  return new Set(stores.flatMap((store) => store.read((records) => records.changedAt(owner))));
}

function attempt<Value>(work: () => Value): { readonly value?: Value; readonly error?: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
