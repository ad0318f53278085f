import { isObject } from "../../transcript/json/json.ts";
import { logLine } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";
import type { SessionManager } from "../openclaw/session.ts";

type AppendingManager = SessionManager & { appendMessage?: (message: unknown, ...rest: unknown[]) => unknown };

/** What OpenClaw throws for a message that it has stored, and that another run has taken off the path since. */
const MOVED = "Pending input is no longer active in its admitted transcript";

const wrapped = new WeakSet<object>();

/**
 * Has a message of a person stored once more where OpenClaw stored it before its run began, and the run of a
 * sub-agent's announcement has put its words into its own prompt meanwhile. OpenClaw refuses to store it, and would
 * try every model of the agent in vain without one request. Any other error is thrown on.
 */
export function appendMovedAgain(manager: AppendingManager | undefined): void {
  const append = manager?.appendMessage;
  if (!manager || typeof append !== "function" || wrapped.has(manager)) return;
  wrapped.add(manager);
  manager.appendMessage = function (this: unknown, message, ...rest) {
    try {
      return append.call(this, message, ...rest);
    } catch (error) {
      if (!isEnabled() || !isMoved(error) || !isObject(message) || message.role !== "user") throw error;
      const { idempotencyKey: _ofTheFirst, ...again } = message;
      logLine("transcript: stored a user message again that another run had taken off the path");
      return append.call(this, again, ...rest);
    }
  };
}

function isMoved(error: unknown): boolean {
  return error instanceof Error && error.message === MOVED;
}
