import { appendEntry, appendNow, canAppend, goTo, type EntryWriter } from "../store/openclaw/append-entry.ts";
import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { describeError, storeError, StoreError } from "../store/errors.ts";
import { assertIdle } from "../store/openclaw/idle.ts";
import { archivePath, withdrawArchive } from "../store/archives/manifest.ts";
import {
  loadOpenClawSessions,
  type OpenClawSession,
  type OpenClawSessions,
  type SessionTarget,
} from "../store/openclaw/openclaw-sessions.ts";
import { loadTransactions } from "../store/openclaw/openclaw-transaction.ts";
import { findSessionTarget } from "../store/sessions/row-store.ts";
import { whenIndexed } from "../store/openclaw/when-indexed.ts";
import type { KnownOutcome } from "../transcript/interrupted.ts";
import type { RepairStrategy } from "../transcript/repair.ts";
import { planBranch, type Branch } from "./branch.ts";
import { toConversation, examineLoaded, examine, type Conversation, type Examination } from "./examine.ts";
import { mend, type Mended } from "./mend.ts";

/** The OpenClaw that owns the session, and how the session is repaired. */
export interface RepairRowsOptions {
  /** The folder of OpenClaw. */
  readonly root: string;
  readonly stateDirectory: string;
  readonly strategy: RepairStrategy;
  /** Known outcomes of calls that have no result. */
  readonly outcomes: readonly KnownOutcome[];
  /** Repairs also a session that OpenClaw's record reports as running; the record is stale after a crash. */
  readonly force?: boolean | undefined;
}

/** Result of the repair of a session in OpenClaw's database. */
export interface RepairedRows {
  after: Examination;
  mended: Mended;
  /** Path of a record of the old leaf; `sessions restore` continues there. Missing when the path was empty. */
  archive?: string;
}

/**
 * Repairs a session in OpenClaw's database: OpenClaw's own session manager appends a branch without the faults, in one
 * transaction that fails when another process has written meanwhile. No row is changed or deleted. Rejects with
 * StoreErrors: `session-busy` while a run is active, `session-missing`, `openclaw-unfit`, `openclaw-failed`.
 */
export async function repairRows(
  catalog: Catalog,
  session: SessionSummary,
  { root, stateDirectory, strategy, outcomes, force = false }: RepairRowsOptions,
): Promise<RepairedRows> {
  const openclaw = await loadOpenClawSessions(root, stateDirectory);
  const target = findSessionTarget(openclaw, stateDirectory, session.sessionId, session.agentId);
  if (target === undefined)
    throw storeError("session-missing", {
      expected: `the session ${session.sessionId} in OpenClaw's store`,
      found: "none",
      todo: "The session was deleted meanwhile. Nothing was changed.",
    });
  if (!force) assertIdle(openclaw, target);
  try {
    const current = openclaw.open(target);
    const stored = catalog.read(session);
    const conversation = toConversation(stored, session);
    const mended = mend(conversation.messages, strategy, outcomes);
    const branch =
      wholeBranch(conversation, mended) ?? planBranch(conversation.path, conversation.messages, mended.messages);
    if (branch === undefined) return { after: examineLoaded(stored, conversation), mended };
    const path = current.getBranch();
    const archive = path.length === 0 ? undefined : archivePath(stateDirectory, target, path);
    const leafId = current.getLeafId();
    try {
      await append(openclaw, target, branch, { root, leafId });
    } catch (error) {
      if (archive !== undefined) withdrawArchive(archive, () => openclaw.open(target).getLeafId() === leafId);
      throw error;
    }
    await whenIndexed(openclaw, target);
    return { after: examine(catalog.read(session), session), mended, ...(archive !== undefined && { archive }) };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw storeError("openclaw-failed", {
      expected: `OpenClaw to append a repaired branch to session ${session.sessionId}`,
      found: describeError(error),
      todo:
        "No row was deleted. If OpenClaw cannot open the session, run `openclaw doctor` or apply the patch; " +
        "otherwise run the command again when the session is idle.",
      cause: error,
    });
  }
}

/**
 * Returns a branch that copies the path from its first entry, for sessions with faults of rows: OpenClaw's session
 * manager does not load the whole path of such a session. Undefined for others.
 */
function wholeBranch({ entries, path }: Conversation, { messages }: Mended): Branch | undefined {
  if (entries.length === 0) return undefined;
  const context = path.filter(({ type }) => type === "message").map(({ message }) => message);
  const branch = planBranch(path, context, messages);
  const staying = branch === undefined ? path : path.slice(0, path.findIndex(({ id }) => id === branch.parentId) + 1);
  const copies = staying.map((entry) => ({
    source: entry,
    standsFor: [entry.id],
    ...(entry.type === "message" && { message: entry.message }),
  }));
  return { parentId: null, entries: [...copies, ...(branch?.entries ?? [])] };
}

/**
 * Appends the branch in one transaction of OpenClaw, which fails when another process has written since `leafId` was
 * the leaf.
 */
async function append(
  openclaw: OpenClawSessions,
  target: SessionTarget,
  branch: Branch,
  { root, leafId }: { root: string; leafId: string | null },
): Promise<void> {
  const unknown = branch.entries.find(({ source }) => source !== undefined && !canAppend(source));
  if (unknown) throw new Error(`an entry of the type ${String(unknown.source?.type)}, which cannot be appended again`);
  const session = openclaw.open(target);
  assertLeaf(session, leafId);
  const rewrite = session.prepareTranscriptRewrite?.();
  const loaded = new Set(session.getBranch().map(({ id }) => id));
  const isRewrite = branch.entries.every(({ source }) => source !== undefined && loaded.has(String(source.id)));
  if (rewrite && isRewrite) return commit(rewrite, branch);
  // OpenClaw's rewrite accepts only messages with a source that it has loaded. A transaction must not wait, which
  // appending these two types of records does; OpenClaw writes them again when it needs them.
  const entries = branch.entries.filter(
    ({ source }) => source?.type !== "thinking_level_change" && source?.type !== "model_change",
  );
  const atomically = await loadTransactions(root);
  await atomically(target.agentId, () => {
    const current = openclaw.open(target);
    assertLeaf(current, leafId);
    goTo(current, branch.parentId);
    const ids = new Map<string, string>();
    for (const { source, message, standsFor } of entries) {
      const id = appendNow(current as unknown as EntryWriter, source ?? { type: "message" }, message, ids);
      for (const old of standsFor) ids.set(String(old), id);
      // The leaf is set after each append: on a branch, OpenClaw would otherwise look it up in an index that is out of
      // date by then.
      current.branch(id);
    }
  });
}

type Rewrite = ReturnType<NonNullable<OpenClawSession["prepareTranscriptRewrite"]>>;

async function commit({ sessionManager: writer, commit: done }: Rewrite, { parentId, entries }: Branch): Promise<void> {
  goTo(writer, parentId);
  const ids = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const { source, message, standsFor } of entries) {
    const id = await appendEntry(writer as unknown as EntryWriter, source!, message, ids);
    for (const old of standsFor) ids.set(String(old), id);
    sources.set(String(source!.id), id);
  }
  done(sources);
}

function assertLeaf(session: OpenClawSession, leafId: string | null): void {
  if (session.getLeafId() === leafId) return;
  throw storeError("session-busy", {
    expected: "no other process to write into the session meanwhile",
    found: "new entries of OpenClaw",
    todo: "Wait until OpenClaw has answered, and run the command again. Nothing was changed.",
  });
}
