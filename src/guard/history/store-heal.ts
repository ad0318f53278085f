import { treatMessage, type Treatment } from "../../recovery/treatment.ts";
import { appendEntry, canAppend, goTo, type EntryWriter } from "../../store/openclaw/append-entry.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { prepare } from "../../wire/prepare.ts";
import type { SessionManager } from "../openclaw/session.ts";

/** The part of OpenClaw's session manager that a rewrite needs; a release that lacks one of them is not rewritten. */
interface RewritingManager extends SessionManager, EntryWriter {
  getBranch: () => readonly unknown[];
  getLeafId: () => string | null;
  branch: (entryId: string) => void;
  resetLeaf: () => void;
  /** Since 2026.8: a copy to write in, and its commit in one transaction. */
  prepareTranscriptRewrite?: () => { sessionManager: RewritingManager; commit: (ids: Map<string, string>) => void };
}

/**
 * Puts treated messages into the stored transcript the way OpenClaw rewrites one itself: a branch from before the first
 * changed entry, with what follows appended again. Nothing is deleted. Returns how many messages were rewritten; 0 when
 * the session has nothing to rewrite or something that cannot be carried over safely. Issue 4, "store once healed".
 */
export async function healStore(
  manager: SessionManager | undefined,
  treatments: readonly Treatment[],
): Promise<number> {
  if (!isRewriting(manager)) return 0;
  const path = manager.getBranch().filter(isObject);
  // The turn that is about to run is known by the id of its message, which a new branch would change.
  const last = path.findLast(({ type }) => type === "message")?.message;
  if (isObject(last) && last.role === "user") return 0;
  const treated = new Map<JsonObject, unknown>();
  // What the gates repair on every load has no words of its own to store: an invented result, a call that was cut off.
  const sound = new Set<unknown>(
    prepare(
      "",
      path.filter(({ type }) => type === "message").map(({ message }) => message),
    ),
  );
  for (const entry of path) {
    if (entry.type !== "message" || !sound.has(entry.message)) continue;
    const message = treatments.reduce<unknown>(treatMessage, entry.message);
    if (message !== entry.message) treated.set(entry, message);
  }
  const first = path.findIndex((entry) => treated.has(entry));
  if (first < 0) return 0;
  const suffix = path.slice(first);
  if (!suffix.every(canAppend)) return 0;
  const rewrite = manager.prepareTranscriptRewrite?.();
  const target = rewrite?.sessionManager ?? manager;
  const leaf = manager.getLeafId();
  try {
    const { parentId } = suffix[0]!;
    goTo(target, typeof parentId === "string" ? parentId : null);
    const ids = new Map<string, string>();
    for (const entry of suffix)
      ids.set(String(entry.id), await appendEntry(target, entry, treated.get(entry) ?? entry.message, ids));
    rewrite?.commit(ids);
  } catch (error) {
    // What was appended is a branch that nobody is on.
    if (!rewrite && leaf !== null) manager.branch(leaf);
    throw error;
  }
  return treated.size;
}

function isRewriting(manager: SessionManager | undefined): manager is RewritingManager {
  const needed = ["getBranch", "getLeafId", "branch", "resetLeaf", "appendMessage", "appendCompaction"] as const;
  return (
    manager !== undefined &&
    needed.every((name) => typeof (manager as unknown as Record<string, unknown>)[name] === "function")
  );
}
