import { beginSearch, goOnSearching, type PartSearch, withFinding } from "../../recovery/search/refused-parts.ts";
import { refusesProbe, runSearch } from "../../recovery/search/run-search.ts";
import type { Core } from "../base/core.ts";
import type { Session } from "../base/session.ts";
import { repairIn } from "../messages/native.ts";
import type { RefusedPartSearch } from "../messages/results.ts";
import { sendThrough, type ApiCall, type GuardOptions } from "../wire-gate.ts";
import type { Attempt } from "./attempt.ts";
import { foundParts, knownParts } from "./parts.ts";
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
  const { route } = attempt;
  const memory = core.memory(session);
  const due = dueSearch(core, session, attempt);
  if (!due) return undefined;
  const { begun, messages } = due;
  const { search } = begun;
  const isServerError = attempt.isServerError || memory.search?.isServerError === true;
  return async (probe) => {
    memory.search = { ...begun, route, isServerError };
    await runSearch(begun, {
      messages,
      ask: (asked) => ask(session, asked, probe, { ...options, isServerError }),
      isOver: () => false,
    });
    if (search.isOver) delete memory.search;
    const { finding, probes: requests } = search;
    if (!finding) return { found: "nothing", requests };
    core.emit("l0:recovery:searched", () => ({ sessionId: session.id, requests }), { kind: finding.found });
    await core.inTurn(session, async () => {
      await foundParts(core, session, withFinding(knownParts(core, session, route), begun, finding, Date.now()));
      if (finding.found !== "no_half") delete memory.atFault;
    });
    return { found: finding.found, requests };
  };
}

/** Returns the search that is due, and the history that it is in. */
function dueSearch(
  core: Core,
  session: Session,
  { refused, whole, route, rungs, treatments, isFromLastWords, leavesHistory }: Attempt,
): { begun: PartSearch; messages: readonly unknown[] } | undefined {
  const isRefused = isFromLastWords || leavesHistory;
  // A history that was taken in another form tells nothing of its parts.
  if (!whole || !refused || (!isRefused && treatments.length > 0)) return undefined;
  const { search } = core.memory(session);
  const goesOn = goOnSearching(search?.route === route ? search : undefined, whole, isRefused);
  if (goesOn) return { begun: goesOn, messages: whole };
  const areWordsRefused = rungs.isPlain === true;
  const begun = isRefused
    ? beginSearch(refused, knownParts(core, session, route), Date.now(), { areWordsRefused })
    : undefined;
  return begun && { begun, messages: refused };
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
