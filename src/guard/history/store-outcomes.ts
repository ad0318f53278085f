import type { JournalledOutcome } from "../../journal/outcomes.ts";
import { withOutcomes } from "../../transcript/interrupted.ts";
import { isObject } from "../../transcript/json/json.ts";
import { isResultRole } from "../../transcript/read.ts";
import { logFailure } from "../base/log.ts";
import type { SessionManager } from "../openclaw/session.ts";

/** The part of OpenClaw's session manager that appends a message behind the leaf. */
type AppendingManager = SessionManager & { appendMessage: (message: unknown) => unknown };

/**
 * Appends what the journal knows of calls that the stored conversation ends with, in the release's own way: a reader
 * without the patch, an export and the page see it too. Only where nothing is said behind the calls yet; where OpenClaw
 * stores the user's message before it loads the history, a repair of the store does it. Twice is as good as once. Never
 * throws: the request is told of it all the same.
 */
export function storeOutcomes(manager: SessionManager | undefined, outcomes: readonly JournalledOutcome[]): void {
  if (outcomes.length === 0 || !isAppending(manager)) return;
  try {
    const messages = (manager.getBranch?.() ?? [])
      .filter((entry) => isObject(entry) && entry.type === "message")
      .map((entry) => (entry as { message: unknown }).message);
    const from = messages.findLastIndex((message) => !isObject(message) || !isResultRole(message.role));
    const calls = messages[from];
    if (!isObject(calls) || calls.role !== "assistant") return;
    const end = messages.slice(from);
    const { messages: told } = withOutcomes(end, outcomes);
    // A result that OpenClaw has invented stands there already, and an entry is never changed.
    if (end.some((message, at) => told[at] !== message)) return;
    for (const result of told.slice(end.length)) manager.appendMessage(result);
  } catch (error) {
    logFailure("store", error, "the results of interrupted calls are told in each request instead");
  }
}

function isAppending(manager: SessionManager | undefined): manager is AppendingManager {
  return manager !== undefined && typeof (manager as Partial<AppendingManager>).appendMessage === "function";
}
