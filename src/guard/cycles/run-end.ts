import { isObject } from "../../transcript/json/json.ts";
import type { CycleLog } from "./cycle-log.ts";
import { tidyJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import { settleAnswered } from "../history/lost-messages.ts";
import type { Agent, SessionManager } from "../openclaw/session.ts";
import { isEnabled } from "../base/switch.ts";

/**
 * When it is looked whether the transcript has what a run said: up to 2026.4.2 OpenClaw stores it after the end is
 * told.
 */
const LOOKS_MS = [0, 100, 1000, 5000];

/**
 * Has the journal let go of a run's words when it is over and the transcript holds them: the message that was answered,
 * and the tools' results. What the transcript never gets is kept for the next load. Never throws.
 */
export function watchRunEnd(
  agent: Agent,
  cycles: CycleLog,
  sessionId: string,
  manager: SessionManager | undefined,
): void {
  agent.subscribe?.((event) => {
    if (isEnabled() && isObject(event) && event.type === "agent_end")
      letGo(() => settleAnswered(sessionId, manager) + cycles.commitStored(manager), LOOKS_MS);
  });
}

/** Looks until nothing is left to settle. */
function letGo(settle: () => number, [pause, ...rest]: readonly number[]): void {
  if (pause === undefined) return;
  setTimeout(() => {
    try {
      const left = settle();
      tidyJournal();
      if (left > 0) letGo(settle, rest);
    } catch (error) {
      logFailure("journal", error, "what was answered is forgotten at the next load");
    }
  }, pause).unref();
}
