import { hasSteadyClock } from "../../base/processes.ts";
import { withJournal } from "../base/journal.ts";
import { askedHere } from "../base/memory.ts";

/** What an entry may be later than now: a clock is corrected by less without a jump. */
const MARGIN_MS = 1000;

/**
 * True for the entry of a user message that an earlier process has left unanswered, and false for that of a turn of
 * this one, which OpenClaw retries. The journal decides: it has every message that a model was asked with, and this
 * process knows those that it has noted itself. The times of two processes are of two clocks: a machine without a
 * battery begins with one that is behind. They decide only where no model was asked yet, as of the message of the turn
 * that begins.
 */
export function isLeftBehind({ id, timestamp }: Record<string, unknown>): boolean {
  if (typeof id === "string") {
    if (askedHere.has(id)) return false;
    if (withJournal(({ unanswered }) => unanswered.has(id)) === true) return true;
  }
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  // A suspended machine does not move the origin, as it does the time that this process has run.
  return at < performance.timeOrigin || (hasSteadyClock() && at > Date.now() + MARGIN_MS);
}
