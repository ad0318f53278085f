import { existsSync } from "node:fs";
import { join } from "node:path";
import { reasonOf, storeError, StoreError } from "../errors.ts";
import { assertIdle } from "../openclaw/idle.ts";
import { archivePath, hashOfMessages, messagesOf, readManifest, type FoundManifest } from "../archives/manifest.ts";
import {
  loadOpenClawSessions,
  type OpenClawSession,
  type OpenClawSessions,
  type SessionTarget,
  type TreeEntry,
} from "../openclaw/openclaw-sessions.ts";

/** What to restore, and whether to do it. */
export interface RestoreRowsOptions {
  /** Path of the manifest. */
  readonly archive: string;
  /** The folder of the OpenClaw that the sessions belong to. */
  readonly root: string;
  /** The conversation that shall have the archived history; by default the one that had it. */
  readonly sessionKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Restore although OpenClaw says that the session is being worked on. */
  readonly force?: boolean | undefined;
}

/** What was done, or on a dry run would be. */
export interface RestoredRows {
  readonly archive: string;
  readonly sessionKey: string;
  /** The session that the conversation has now. */
  readonly sessionId: string;
  readonly previousSessionId: string;
  readonly messages: number;
  readonly action: "restored" | "already" | "would-restore";
  /** The archive of what the conversation was until now. */
  readonly kept?: string;
}

/**
 * Gives a conversation the history back that an archive leads to: entry by entry, with the same ids. It is copied into
 * a session of its own by OpenClaw itself, because no leaf can be moved back behind a reset (OpenClaw ignores that);
 * all rows written since stay where they are, and an archive of their own leads to them. Restoring twice changes
 * nothing.
 *
 * Throws a StoreError, and then nothing was changed: the archive is missing, foreign or moved; its rows are gone or not
 * what they were (`archive-damaged`); the session is being worked on; OpenClaw cannot be loaded. With `openclaw-failed`
 * something may have been done, but nothing deleted.
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
      found: reasonOf(error),
      todo: "Nothing was deleted: all rows are still there. Run it again; if that does not help, stop OpenClaw's gateway first.",
      cause: error,
    });
  }
}

async function restoreWith(
  openclaw: OpenClawSessions,
  manifest: FoundManifest,
  options: RestoreRowsOptions,
): Promise<RestoredRows> {
  const conversation = conversationOf(openclaw, manifest, options.sessionKey);
  const { sessionId: current, ...key } = conversation;
  const holder = holderOf(openclaw, conversation, manifest);
  const path = holder.session.getBranch(manifest.leafEntryId);
  assertUnchanged(path, manifest);
  const outcome = {
    archive: manifest.path,
    sessionKey: key.sessionKey,
    sessionId: current,
    previousSessionId: current,
    messages: messagesOf(path).length,
  };
  if (holder.sessionId === current && isActive(holder.session, path)) return { ...outcome, action: "already" };
  if (options.force !== true) assertIdle(openclaw, key);
  if (options.dryRun) return { ...outcome, action: "would-restore" };

  const kept = keep(openclaw, conversation, manifest);
  if (holder.sessionId !== current)
    await openclaw.patchSessionEntry({ ...key, update: () => ({ sessionId: holder.sessionId }) });
  // The session that OpenClaw left at this very place needs no copy.
  if (!isActive(holder.session, path)) await holder.session.createBranchedSession(manifest.leafEntryId);
  const sessionId = openclaw.getSessionEntry(key)?.sessionId ?? current;
  if (!isActive(openclaw.open({ ...key, sessionId }), path))
    throw new Error(`${key.sessionKey} has another history; what it had before is kept in ${kept ?? manifest.path}`);
  return { ...outcome, sessionId, action: "restored", ...(kept !== undefined && { kept }) };
}

/** The conversation of the archive and the session it has now. */
function conversationOf(
  openclaw: OpenClawSessions,
  manifest: FoundManifest,
  wanted: string | undefined,
): SessionTarget {
  const { sessionId, stateDirectory } = manifest;
  const named = wanted ?? manifest.sessionKey;
  const agentId =
    (wanted === undefined ? manifest.agentId : undefined) ?? /^agent:([^:]+):/.exec(named ?? "")?.[1] ?? "main";
  const agents = join(stateDirectory, "agents");
  // Looking into a store that is not there would make one.
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
      todo: "If it was deleted, name one that shall have this history with --session-key. Nothing was changed.",
    });
  }
  return { agentId, sessionKey, storePath, sessionId: entry.sessionId };
}

/**
 * The session with the archived entries: the present one, when a restore has copied them there, or the one they were
 * written in.
 */
function holderOf(
  openclaw: OpenClawSessions,
  conversation: SessionTarget,
  manifest: FoundManifest,
): { readonly sessionId: string; readonly session: OpenClawSession } {
  for (const sessionId of new Set([conversation.sessionId, manifest.sessionId])) {
    const session = openclaw.open({ ...conversation, sessionId });
    if (session.getEntry(manifest.leafEntryId) !== undefined) return { sessionId, session };
  }
  throw storeError("archive-damaged", {
    expected: `entry ${manifest.leafEntryId} in session ${manifest.sessionId}, or in ${conversation.sessionId}, which ${conversation.sessionKey} has now`,
    found: "it in neither",
    todo: "OpenClaw has deleted these rows since. A backup of its database still has them; nothing was changed.",
  });
}

function assertUnchanged(path: readonly TreeEntry[], { messages, sha256, sessionId }: FoundManifest): void {
  const found = hashOfMessages(path, messages);
  if (found === sha256) return;
  throw storeError("archive-damaged", {
    expected: `${messages} messages with the SHA-256 ${sha256}`,
    found: `${Math.min(messages, messagesOf(path).length)} with ${found}`,
    todo: `The rows of session ${sessionId} were changed since the archive was made. A backup of OpenClaw's database may still have them; nothing was changed.`,
  });
}

/** Whether this path is all that a session goes on from; labels, which a copy gets at its end, are no history. */
function isActive(session: OpenClawSession, path: readonly TreeEntry[]): boolean {
  const active = session.getBranch();
  return (
    path.every(({ id }, index) => active[index]?.id === id) &&
    active.slice(path.length).every(({ type }) => type === "label")
  );
}

/** Archives the present state of the conversation; one without entries needs none. */
function keep(
  openclaw: OpenClawSessions,
  conversation: SessionTarget,
  { stateDirectory, release }: FoundManifest,
): string | undefined {
  const path = openclaw.open(conversation).getBranch();
  return path.length === 0 ? undefined : archivePath(stateDirectory, conversation, path, release);
}
