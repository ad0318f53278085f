import { treatEach, type Treatment } from "../../recovery/forms/treatment.ts";
import { appendEntry, canAppend, goTo, type EntryWriter } from "../../store/openclaw/append-entry.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { prepare } from "../../wire/prepare.ts";
import { hasMethods, type SessionManager } from "../openclaw/session.ts";
import { beginRewrite, isHalf, type NotingManager, withoutNotes } from "./rewrite.ts";

/**
 * The part of OpenClaw's session manager that a rewrite needs. In a release that lacks one method nothing is stored.
 */
interface RewritingManager extends NotingManager, EntryWriter {
  getBranch: () => readonly unknown[];
  getLeafId: () => string | null;
  branch: (entryId: string) => void;
  resetLeaf: () => void;
  /** Since 2026.9.3: a copy of the manager to write to, and a commit of the copy in one transaction. */
  prepareTranscriptRewrite?: () => { sessionManager: RewritingManager; commit: (ids: Map<string, string>) => void };
}

/**
 * Stores treated messages in the transcript as OpenClaw rewrites one itself: a new branch from before the first changed
 * entry, to which the following entries are appended again. Nothing is deleted. Returns how many messages were
 * rewritten; 0 when there are none, while a user message waits for its answer, or when an entry cannot be copied
 * safely. When an append fails, the old leaf is restored and the error thrown; after a kill `withWholePath`
 * finds the branch half: its first note without its last one.
 */
export async function storeTreatments(
  manager: SessionManager | undefined,
  treatments: readonly Treatment[],
): Promise<number> {
  if (!hasMethods<RewritingManager>(manager, NEEDED)) return 0;
  const path = manager.getBranch().filter(isObject);
  // OpenClaw knows the turn that is about to run by the id of its user message, which a new branch would change.
  const last = path.findLast(({ type }) => type === "message")?.message;
  if ((isObject(last) && last.role === "user") || isHalf(manager)) return 0;
  const entries = path.filter(({ type }) => type === "message");
  const stored = entries.map(({ message }) => message);
  // Only messages that the gates leave unchanged: an invented result or a truncated call has no content worth storing.
  // No API's name: a signature that one API's adapter cannot read is no reason to leave the message.
  const unchangedByGates = new Set(prepare("", stored));
  const messages = treatEach(stored, treatments);
  const treated = new Map<JsonObject, unknown>();
  for (const [at, entry] of entries.entries())
    if (unchangedByGates.has(entry.message) && messages[at] !== entry.message) treated.set(entry, messages[at]);
  const first = path.findIndex((entry) => treated.has(entry));
  if (first < 0) return 0;
  const suffix = withoutNotes(path.slice(first));
  if (!suffix.every(canAppend)) return 0;
  const rewrite = manager.prepareTranscriptRewrite?.();
  const target = rewrite?.sessionManager ?? manager;
  const leaf = String(manager.getLeafId());
  try {
    const { parentId } = suffix[0]!;
    goTo(target, typeof parentId === "string" ? parentId : null);
    const end = rewrite ? undefined : beginRewrite(manager, leaf);
    const ids = new Map<string, string>();
    for (const entry of suffix)
      ids.set(String(entry.id), await appendEntry(target, entry, treated.get(entry) ?? entry.message, ids));
    end?.();
    rewrite?.commit(ids);
  } catch (error) {
    // The entries that were appended stay as an abandoned branch.
    if (!rewrite) manager.branch(leaf);
    throw error;
  }
  return treated.size;
}

/** The methods of a manager without which nothing is stored. */
const NEEDED = "getBranch getLeafId branch resetLeaf appendMessage appendCompaction appendCustomEntry".split(
  " ",
) as (keyof RewritingManager)[];
