/** A load of a session's path, to see what it journals of the messages that no run has taken. */
import { WAITING } from "../../journal/unanswered-messages.ts";
import { withJournal } from "../base/journal.ts";
import { sessionMemory } from "../base/memory.ts";
import type { GuardContext, SessionManager } from "../openclaw/session.ts";
import { noteUntaken } from "./note-untaken.ts";

/** The entries of the path, as a test has them. */
export const branch: object[] = [];

export const manager: SessionManager = {
  getBranch: () => branch,
  getLeafId: () => String((branch.at(-1) as { id: string }).id),
  getEntry: (id) => branch.find((entry) => "id" in entry && entry.id === id),
};

/** Has the path begin with an answer. */
export function beginPath(): void {
  branch.splice(0, branch.length, { id: "e1", parentId: null, type: "message", message: { role: "assistant" } });
}

/** What the load of the next run journals for its request, of the session `s`. */
export function journalledFor(context: Partial<GuardContext>): unknown[] {
  noteUntaken({ sessionId: "s", ...context } as GuardContext, sessionMemory(undefined), manager, true);
  return (withJournal(({ unanswered }) => unanswered.list("s")) ?? [])
    .filter(({ parentId }) => parentId !== WAITING)
    .map(({ message }) => message);
}
