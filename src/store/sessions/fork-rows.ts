import { randomUUID } from "node:crypto";
import { storeError } from "../errors.ts";
import { goTo } from "../openclaw/append-entry.ts";
import type { OpenClawSession, OpenClawSessions, SessionTarget, SessionWriter } from "../openclaw/openclaw-sessions.ts";
import { whenIndexed } from "../openclaw/when-indexed.ts";
import { readChoices, type Forked } from "./forked.ts";
import type { Note } from "./stored-session.ts";

/** Added to the label of a fork until its history is there: what a kill leaves says what it is. */
const UNFINISHED = " (unfinished, can be deleted)";

/** The view of a session that OpenClaw hands from one manager to another. */
interface Viewed {
  captureTranscriptView?(): object;
}

/**
 * Makes a session of its own from the path to an entry and a note, by OpenClaw's own code: a new conversation, into
 * which OpenClaw copies the path in one transaction, with the ids of the entries. The other session is only read. A
 * kill leaves no new session, or an empty one whose label says so. Rejects with what OpenClaw throws, and with
 * `openclaw-unfit` where this release cannot do it.
 */
export async function forkRows(
  openclaw: OpenClawSessions,
  source: { readonly session: OpenClawSession; readonly target: SessionTarget },
  toEntryId: string,
  { text, details, customType = "" }: Note,
  label: string,
): Promise<Forked> {
  const { upsertSessionEntry, deleteSessionEntry } = openclaw;
  const copy = source.session.prepareTranscriptRewrite?.().sessionManager as (SessionWriter & Viewed) | undefined;
  if (typeof copy?.captureTranscriptView !== "function" || !upsertSessionEntry || !deleteSessionEntry) {
    throw storeError("openclaw-unfit", {
      expected: "an OpenClaw that can prepare a copy of a session in memory (2026.9.6, or up to 2026.7)",
      found: "one that cannot",
      todo: "Update OpenClaw, or fork in its Control UI. Nothing was changed.",
    });
  }
  const { agentId, storePath, sessionKey: sourceKey } = source.target;
  const key = { agentId, storePath, sessionKey: `agent:${agentId}:dashboard:${randomUUID()}` };
  const empty = { ...key, sessionId: randomUUID() };
  goTo(copy, toEntryId);
  const noteId = copy.appendCustomMessageEntry(customType, text, true, details);
  const choices = readChoices(openclaw.getSessionEntry({ agentId, storePath, sessionKey: sourceKey }));
  await upsertSessionEntry({
    ...key,
    entry: { ...choices, sessionId: empty.sessionId, updatedAt: Date.now(), label: `${label}${UNFINISHED}` },
  });
  try {
    const session = openclaw.open(empty);
    Object.assign(session, copy.captureTranscriptView());
    await session.createBranchedSession(noteId);
    const sessionId = openclaw.getSessionEntry(key)?.sessionId ?? empty.sessionId;
    await openclaw.patchSessionEntry({
      ...key,
      skipMaintenance: true,
      update: () => ({ label }) as object,
    });
    await whenIndexed(openclaw, { ...key, sessionId });
    return { sessionId, sessionKey: key.sessionKey, label, noteId };
  } catch (error) {
    await deleteSessionEntry({ ...key, expectedSessionId: empty.sessionId }).catch(() => undefined);
    throw error;
  }
}
