import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError, storeError, StoreError } from "../errors.ts";
import { assertIdle } from "../openclaw/idle.ts";
import {
  archivePath,
  withdrawArchive,
  hashOfMessages,
  messageEntries,
  readManifest,
  type FoundManifest,
} from "../archives/manifest.ts";
import {
  loadOpenClawSessions,
  type OpenClawSession,
  type OpenClawSessions,
  type SessionTarget,
  type TreeEntry,
} from "../openclaw/openclaw-sessions.ts";

/** Options of a restore. */
export interface RestoreRowsOptions {
  /** Path of the manifest. */
  readonly archive: string;
  /** Package folder of the OpenClaw that the sessions belong to. */
  readonly root: string;
  /** Key of the conversation that is to get the archived history; by default the one that had it. */
  readonly sessionKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Restores even when OpenClaw's record shows a running turn. */
  readonly force?: boolean | undefined;
}

/** The result of a restore, or of its dry run. */
export interface RestoredRows {
  readonly archive: string;
  readonly sessionKey: string;
  /** Id of the conversation's session after the restore. */
  readonly sessionId: string;
  readonly previousSessionId: string;
  readonly messages: number;
  readonly action: "restored" | "already" | "would-restore";
  /** Path of a new archive of the conversation's previous state. */
  readonly kept?: string;
}

/**
 * Restores the history that an archive records into a conversation, entry by entry and with the same ids. OpenClaw
 * itself copies it into a new session, because it ignores a leaf that is moved back behind a reset. All rows written
 * since stay where they are, and a new archive records them. Restoring twice changes nothing.
 *
 * Throws a StoreError, and then nothing was changed: the archive is missing, foreign or moved; its rows are gone or
 * were changed (`archive-damaged`); the session is in use; OpenClaw cannot be loaded. With `openclaw-failed` something
 * may have been changed, but nothing was deleted.
 */
export async function restoreRows(options: RestoreRowsOptions): Promise<RestoredRows> {
  const manifest = readManifest(options.archive);
  const openclaw = await loadOpenClawSessions(options.root, manifest.stateDirectory);
  try {
    return await restoreWith(openclaw, manifest, options);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw storeError("openclaw-failed", {
      expected: `OpenClaw to restore session ${manifest.sessionId} in its own database`,
      found: describeError(error),
      todo:
        "Nothing was deleted: all rows are still there. Run it again; if that does not help, stop OpenClaw's " +
        "gateway first.",
      cause: error,
    });
  }
}

async function restoreWith(
  openclaw: OpenClawSessions,
  manifest: FoundManifest,
  options: RestoreRowsOptions,
): Promise<RestoredRows> {
  const conversation = findConversation(openclaw, manifest, options.sessionKey);
  const { sessionId: current, ...key } = conversation;
  const holder = findHolder(openclaw, conversation, manifest);
  const path = holder.session.getBranch(manifest.leafEntryId);
  assertUnchanged(path, manifest);
  const outcome = {
    archive: manifest.path,
    sessionKey: key.sessionKey,
    sessionId: current,
    previousSessionId: current,
    messages: messageEntries(path).length,
  };
  if (holder.sessionId === current && isActive(holder.session, path)) return { ...outcome, action: "already" };
  if (options.force !== true) assertIdle(openclaw, key);
  if (options.dryRun) return { ...outcome, action: "would-restore" };

  const kept = archivePresent(openclaw, conversation, manifest);
  const leafId = openclaw.open(conversation).getLeafId();
  try {
    if (holder.sessionId !== current)
      await openclaw.patchSessionEntry({
        ...key,
        skipMaintenance: true,
        update: () => ({ sessionId: holder.sessionId }),
      });
    // An old session whose leaf is the archived entry needs no copy.
    if (!isActive(holder.session, path)) await holder.session.createBranchedSession(manifest.leafEntryId);
  } catch (error) {
    if (kept !== undefined)
      withdrawArchive(
        kept,
        () =>
          openclaw.getSessionEntry(key)?.sessionId === current && openclaw.open(conversation).getLeafId() === leafId,
      );
    throw error;
  }
  const sessionId = openclaw.getSessionEntry(key)?.sessionId ?? current;
  if (!isActive(openclaw.open({ ...key, sessionId }), path))
    throw new Error(`${key.sessionKey} has another history; what it had before is kept in ${kept ?? manifest.path}`);
  return { ...outcome, sessionId, action: "restored", ...(kept !== undefined && { kept }) };
}

/** The archive's conversation with its current session. */
function findConversation(
  openclaw: OpenClawSessions,
  manifest: FoundManifest,
  wanted: string | undefined,
): SessionTarget {
  const { sessionId, stateDirectory } = manifest;
  const named = wanted ?? manifest.sessionKey;
  const agentId =
    (wanted === undefined ? manifest.agentId : undefined) ?? /^agent:([^:]+):/.exec(named ?? "")?.[1] ?? "main";
  const agents = join(stateDirectory, "agents");
  // Reading a store that does not exist would create it.
  const storePath = existsSync(join(agents, agentId)) ? openclaw.resolveStorePath(undefined, { agentId }) : undefined;
  const sessionKey =
    storePath === undefined
      ? undefined
      : (named ?? openclaw.resolveTranscriptSessionKeyBySessionId({ agentId, sessionId, storePath }));
  const entry =
    storePath === undefined || sessionKey === undefined
      ? undefined
      : openclaw.getSessionEntry({ agentId, sessionKey, storePath });
  if (storePath === undefined || sessionKey === undefined || entry?.sessionId === undefined) {
    throw storeError("session-missing", {
      expected: `the conversation ${named ?? `of session ${sessionId}`} of agent ${agentId} in ${agents}`,
      found: storePath === undefined ? "no such agent" : "no such conversation",
      todo:
        "If it was deleted, name the conversation that is to get this history with --session-key. " +
        "Nothing was changed.",
    });
  }
  return { agentId, sessionKey, storePath, sessionId: entry.sessionId };
}

/**
 * The session that contains the archived entries: the current one, if a restore has copied them there, or the one in
 * which they were written.
 */
function findHolder(
  openclaw: OpenClawSessions,
  conversation: SessionTarget,
  manifest: FoundManifest,
): { readonly sessionId: string; readonly session: OpenClawSession } {
  for (const sessionId of new Set([conversation.sessionId, manifest.sessionId])) {
    const session = openclaw.open({ ...conversation, sessionId });
    if (session.getEntry(manifest.leafEntryId) !== undefined) return { sessionId, session };
  }
  throw storeError("archive-damaged", {
    expected:
      `entry ${manifest.leafEntryId} in session ${manifest.sessionId}, or in ${conversation.sessionId}, ` +
      `which ${conversation.sessionKey} has now`,
    found: "no such entry in either",
    todo: "OpenClaw has deleted these rows since. A backup of its database still has them; nothing was changed.",
  });
}

function assertUnchanged(path: readonly TreeEntry[], { messages, sha256, sessionId }: FoundManifest): void {
  const found = hashOfMessages(path, messages);
  if (found === sha256) return;
  throw storeError("archive-damaged", {
    expected: `${messages} messages with the SHA-256 ${sha256}`,
    found: `${Math.min(messages, messageEntries(path).length)} with ${found}`,
    todo:
      `The rows of session ${sessionId} were changed since the archive was made. A backup of OpenClaw's database ` +
      "may still have them; nothing was changed.",
  });
}

/**
 * Whether this path is the session's active path, apart from labels at its end: a copy gets those, and they are no
 * history.
 */
function isActive(session: OpenClawSession, path: readonly TreeEntry[]): boolean {
  const active = session.getBranch();
  return (
    path.every(({ id }, index) => active[index]?.id === id) &&
    active.slice(path.length).every(({ type }) => type === "label")
  );
}

/** Archives the present state of the conversation; undefined when it has no entries. */
function archivePresent(
  openclaw: OpenClawSessions,
  conversation: SessionTarget,
  { stateDirectory, release }: FoundManifest,
): string | undefined {
  const path = openclaw.open(conversation).getBranch();
  return path.length === 0 ? undefined : archivePath(stateDirectory, conversation, path, release);
}
