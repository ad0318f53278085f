import { appendNow, type EntryWriter } from "../../store/openclaw/append-entry.ts";
import { findAuthor, type History } from "../../timetravel/index.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import type { TravellingManager } from "./history.ts";

/** The static method by which a session manager is made that stores nothing. */
interface ManagerClass {
  inMemory?: (cwd: string) => TravellingManager & EntryWriter;
}

/** Whether the managers of a class leave out of the context what is marked with `excludeFromContext`. */
const known = new WeakMap<object, boolean>();

/**
 * Keeps the person's unanswered messages in the history that people are shown, where a move has left them behind: rows
 * that are displayed and not sent, because the carryover has their words for the model. Does nothing on releases that
 * would send them (before 2026.9), and where showing is not possible: the move is made then. Never throws.
 */
export function keepVisible(manager: TravellingManager, history: History, questionIds: readonly string[]): void {
  try {
    const questions = questionIds
      .flatMap((id) => history.node(id) ?? [])
      .filter((node) => findAuthor(history, node) === "person");
    if (questions.length === 0 || !leavesOut(manager)) return;
    for (const { id, entry } of questions)
      appendNow(manager as unknown as EntryWriter, { type: "message" }, shownOnly(entry.message, id), new Map());
    // A user message at the end of the path is an unanswered one for OpenClaw, which asks it again after a kill. A
    // summary without words is in no request, and keeps the end.
    appendNow(manager as unknown as EntryWriter, { type: "branch_summary", summary: "" }, undefined, new Map());
  } catch (error) {
    logFailure("move", error, "the person's message is on the branch that was left only");
  }
}

/**
 * A copy of a message that is displayed and not sent. What OpenClaw delivers or looks up by its key stays with the
 * original.
 */
function shownOnly(message: unknown, repeats: string): JsonObject {
  const { idempotencyKey: _key, ...rest } = isObject(message) ? message : {};
  return { ...rest, role: "user", excludeFromContext: true, openclawIntegrity: { repeats } };
}

function leavesOut(manager: TravellingManager): boolean {
  const Class = (manager as { constructor?: ManagerClass }).constructor;
  if (Class === undefined || typeof Class.inMemory !== "function" || manager.getSessionTarget === undefined)
    return false;
  const found = known.get(Class);
  if (found !== undefined) return found;
  const probe = Class.inMemory("/");
  appendNow(
    probe,
    { type: "message" },
    { role: "user", content: [{ type: "text", text: "?" }], timestamp: 1, excludeFromContext: true },
    new Map(),
  );
  appendNow(probe, { type: "branch_summary", summary: "" }, undefined, new Map());
  const leaves = probe.buildSessionContext().messages.length === 0;
  known.set(Class, leaves);
  return leaves;
}
