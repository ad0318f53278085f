import { isObject } from "../../transcript/json/json.ts";
import type { CycleLog } from "./cycle-log.ts";
import { tidyJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import { settleAnswered } from "../history/lost-messages.ts";
import { storePlaced } from "../history/placed.ts";
import type { Agent, SessionManager } from "../openclaw/session.ts";
import { isEnabled } from "../base/switch.ts";

/**
 * Pauses between checks of whether the transcript holds a run's messages: up to 2026.4.2 OpenClaw stores them after it
 * emits the end of the run.
 */
const CHECK_PAUSES_MS = [0, 100, 1000, 5000];

/**
 * After each run, removes from the journal what the transcript holds by then: the answered user message and the tools'
 * results. What the transcript never gets stays in the journal for the next load. Never throws.
 */
export function watchRunEnd(
  agent: Agent,
  cycles: CycleLog,
  sessionId: string,
  manager: SessionManager | undefined,
): void {
  agent.subscribe?.((event) => {
    if (!isEnabled() || !isObject(event) || event.type !== "agent_end") return;
    storePlaced(sessionId, manager);
    settleWithPauses(() => settleAnswered(sessionId, manager) + cycles.commitStored(manager), CHECK_PAUSES_MS);
  });
}

/** Checks after each pause until nothing is left to settle. */
function settleWithPauses(settle: () => number, [pause, ...rest]: readonly number[]): void {
  if (pause === undefined) return;
  setTimeout(() => {
    try {
      const left = settle();
      tidyJournal();
      if (left > 0) settleWithPauses(settle, rest);
    } catch (error) {
      logFailure("journal", error, "answered messages are removed from the journal at the next load");
    }
  }, pause).unref();
}
