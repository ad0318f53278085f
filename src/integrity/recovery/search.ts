import { type DueSearch, searched, searchFor } from "../../recovery/search/route-search.ts";
import { refusesProbe, runSearch } from "../../recovery/search/run-search.ts";
import type { Core } from "../base/core.ts";
import type { Session } from "../base/session.ts";
import { repairIn } from "../messages/native.ts";
import type { RefusedPartSearch } from "../messages/results.ts";
import { sendThrough, type ApiCall, type GuardOptions } from "../wire-gate.ts";
import type { Attempt } from "./attempt.ts";
import { knownParts } from "./parts.ts";
import { errorIn, isFilteredAnswer } from "./provider-error.ts";

/**
 * Returns the search that can follow a call for which the history was left out, or an earlier one that a call after it
 * can take further; undefined after any other call, and while an earlier search that found no half of the history
 * accepted is recent.
 */
export function searchAfter(
  core: Core,
  session: Session,
  attempt: Attempt,
  options: GuardOptions,
): RefusedPartSearch | undefined {
  const memory = core.memory(session);
  const due = dueSearch(attempt);
  const running = due && searchFor(memory, knownParts(core, session), due);
  if (!due || !running) return undefined;
  const { search, isServerError } = running;
  return async (probe) => {
    await runSearch(running, {
      messages: due.messages,
      ask: (asked) => ask(session, asked, probe, { ...options, isServerError }),
      mustPause: () => false,
    });
    const { probes: requests } = search;
    const finding = await core.inTurn(session, async () => searched(memory, knownParts(core, session), running));
    if (!finding) return { found: "nothing", requests };
    core.emit("l0:recovery:searched", () => ({ sessionId: session.id, requests }), { kind: finding.found });
    return { found: finding.found, requests };
  };
}

/** Returns what is to be searched in behind a call; undefined where the call tells nothing of the history's parts. */
function dueSearch({ refused, whole, route, tries, leavesHistory }: Attempt): DueSearch | undefined {
  const isRefused = tries.isFromLastWords || leavesHistory;
  // A history that was taken in another form tells nothing of its parts.
  if (!whole || !refused || (!isRefused && tries.treatments.length > 0)) return undefined;
  const { isServerError, isPlain: areWordsRefused } = tries;
  return { route, messages: isRefused ? refused : whole, isRefused, isServerError, areWordsRefused };
}

/** Asks about messages; undefined where the error says nothing about them. Never rejects. */
async function ask(
  session: Session,
  messages: readonly unknown[],
  probe: ApiCall<unknown>,
  { isServerError, ...options }: GuardOptions & { isServerError: boolean },
): Promise<boolean | undefined> {
  try {
    const { messages: ready } = repairIn(session.format, [...messages]);
    return !isFilteredAnswer(await sendThrough(probe, session.format, ready, options));
  } catch (error) {
    return refusesProbe(errorIn(error), isServerError) ? false : undefined;
  }
}
