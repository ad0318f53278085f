import type { JournalledOutcome } from "../../journal/outcomes.ts";
import { withOutcomes } from "../../transcript/interrupted.ts";
import { isObject } from "../../transcript/json/json.ts";
import { isResultRole } from "../../transcript/read.ts";
import { logFailure } from "../base/log.ts";
import { hasMethods, type SessionManager } from "../openclaw/session.ts";

/** The part of OpenClaw's session manager that appends a message behind the leaf. */
type AppendingManager = SessionManager & { appendMessage: (message: unknown) => unknown };

/**
 * Appends the journalled outcomes of the calls that end the stored conversation, through OpenClaw's session manager, so
 * that exports, web pages and an OpenClaw without the patch show them too. Only where no message follows the calls yet;
 * where OpenClaw stores the user's message before it loads the history, a repair of the store adds them. Idempotent.
 * Never throws: each request gets the outcomes in any case.
 */
export function storeOutcomes(manager: SessionManager | undefined, outcomes: readonly JournalledOutcome[]): void {
  if (outcomes.length === 0 || !hasMethods<AppendingManager>(manager, ["appendMessage"])) return;
  try {
    const messages = (manager.getBranch?.() ?? [])
      .filter((entry) => isObject(entry) && entry.type === "message")
      .map((entry) => (entry as { message: unknown }).message);
    const from = messages.findLastIndex((message) => !isObject(message) || !isResultRole(message.role));
    const calls = messages[from];
    if (!isObject(calls) || calls.role !== "assistant") return;
    const end = messages.slice(from);
    const { messages: completed } = withOutcomes(end, outcomes);
    // The outcome would replace a result that OpenClaw invented, and a stored entry is never changed.
    if (end.some((message, at) => completed[at] !== message)) return;
    for (const result of completed.slice(end.length)) manager.appendMessage(result);
  } catch (error) {
    logFailure("store", error, "the outcomes of interrupted calls are added to each request instead");
  }
}
