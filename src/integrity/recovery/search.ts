import { beginSearch, withFinding } from "../../recovery/search/refused-parts.ts";
import { runSearch } from "../../recovery/search/run-search.ts";
import type { Core } from "../base/core.ts";
import type { Session } from "../base/session.ts";
import { repairIn } from "../messages/native.ts";
import type { RefusedPartSearch } from "../messages/results.ts";
import { sendThrough, type ApiCall, type GuardOptions } from "../wire-gate.ts";
import type { Attempt } from "./attempt.ts";
import { foundParts, knownParts } from "./parts.ts";
import { failureOf, isFilteredAnswer } from "./provider-error.ts";

/**
 * Returns the search that can follow a call for which the history was left out; undefined after any other call, and
 * while an earlier search that found no half of the history accepted is recent.
 */
export function searchAfter(
  core: Core,
  session: Session,
  attempt: Attempt,
  options: GuardOptions,
): RefusedPartSearch | undefined {
  const { refused, route, rungs } = attempt;
  if (!refused || !(attempt.isFromLastWords || attempt.leavesHistory)) return undefined;
  const begun = beginSearch(refused, knownParts(core, session, route), Date.now(), {
    areWordsRefused: rungs.isPlain === true,
  });
  if (!begun) return undefined;
  return async (probe) => {
    await runSearch(begun, {
      messages: refused,
      ask: (messages) => ask(session, messages, probe, options),
      isOver: () => false,
    });
    const { finding, probes: requests } = begun.search;
    if (!finding) return { found: "nothing", requests };
    core.emit("l0:recovery:searched", () => ({ sessionId: session.id, requests }), { kind: finding.found });
    await core.inTurn(session, async () => {
      await foundParts(core, session, withFinding(knownParts(core, session, route), begun, finding, Date.now()));
      if (finding.found !== "no_half") delete core.memory(session).atFault;
    });
    return { found: finding.found, requests };
  };
}

/** Asks about messages; undefined where the error says nothing about them. Never rejects. */
async function ask(
  session: Session,
  messages: readonly unknown[],
  probe: ApiCall<unknown>,
  options: GuardOptions,
): Promise<boolean | undefined> {
  try {
    const { messages: ready } = repairIn(session.format, [...messages]);
    return !isFilteredAnswer(await sendThrough(probe, session.format, ready, options));
  } catch (error) {
    const { kind } = failureOf(error);
    return kind === "history" || kind === "unknown" || kind === "content_filter" ? false : undefined;
  }
}
