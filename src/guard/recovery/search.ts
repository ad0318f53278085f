import { emit } from "../../observe/index.ts";
import type { RouteSearch } from "../../recovery/search/refused-parts.ts";
import { type DueSearch as Due, searched, searchFor } from "../../recovery/search/route-search.ts";
import { refusesProbe, runSearch } from "../../recovery/search/run-search.ts";
import type { Finding } from "../../recovery/search/search.ts";
import { logFailure, logLine } from "../base/log.ts";
import { sessionMemory, type SessionMemory } from "../base/memory.ts";
import { finishedMessage, isEventStream, type AssistantMessage } from "../openclaw/stream-events.ts";
import { opened, type Ending } from "./answer.ts";
import { readEndingError, isEmpty } from "./endings.ts";
import { knownParts } from "../routes/refused-parts.ts";

/** Pause behind a turn before the first request: OpenClaw may go on by itself. */
const PAUSE_MS = 1000;

/** Longest time of one request. */
const TIMEOUT_MS = 60_000;

/** Longest time for which a search holds the end of an answer back; later turns take it further. */
const HELD_MS = 20_000;

/** A search that is due when the run has ended. */
export interface DueSearch extends Due {
  readonly api: unknown;
  /** Sends a request for one token with these messages. */
  readonly probe: (messages: unknown[], signal: AbortSignal) => unknown;
}

/** False when searches are turned off: `OPENCLAW_INTEGRITY_SEARCH=off` (also `0`, `false` and `no`). */
function searchesBehindTurns(): boolean {
  return !/^(off|0|false|no)$/i.test(process.env.OPENCLAW_INTEGRITY_SEARCH?.trim() ?? "");
}

/** Stops the requests of a session's search: a turn begins. What was found so far is kept. */
export function pauseSearch(sessionId: string | undefined): void {
  if (sessionId !== undefined) sessionMemory(sessionId).search?.abort?.abort();
}

/**
 * Searches for the refused part of a session's history behind a turn, with requests of one token, until it is found or
 * the next turn begins. A search that a turn has interrupted goes on. Never throws.
 */
export function searchBehind(sessionId: string | undefined, memory: SessionMemory, due: DueSearch): void {
  const abort = new AbortController();
  const search = startedSearch(sessionId, memory, due, abort);
  if (!search) return;
  setTimeout(() => void goOn(sessionId, memory, search, due, abort.signal), PAUSE_MS).unref();
}

/**
 * The same at the end of a turn, before its last event is passed on, for the releases that end every request with the
 * run. Undefined where no search is due. Never rejects.
 */
export function searchBeforeEnd(
  sessionId: string | undefined,
  memory: SessionMemory,
  due: DueSearch,
): Promise<void> | undefined {
  const abort = new AbortController();
  const search = startedSearch(sessionId, memory, due, abort);
  return search && goOn(sessionId, memory, search, due, AbortSignal.any([abort.signal, AbortSignal.timeout(HELD_MS)]));
}

/** Returns the search that goes on now, which `abort` pauses; undefined where none is due. Never throws. */
function startedSearch(
  sessionId: string | undefined,
  memory: SessionMemory,
  due: DueSearch,
  abort: AbortController,
): RouteSearch | undefined {
  if (!searchesBehindTurns()) return undefined;
  try {
    const search = searchFor(memory, knownParts(sessionId, memory), due);
    if (search) search.abort = abort;
    return search;
  } catch (error) {
    logFailure("search", error, "the conversation is answered from its last words");
    return undefined;
  }
}

/** Makes the requests of a search until it is over, or this signal ends. Never rejects. */
async function goOn(
  sessionId: string | undefined,
  memory: SessionMemory,
  running: RouteSearch,
  due: DueSearch,
  signal: AbortSignal,
): Promise<void> {
  // The session may be reset, or its history be taken, in the meantime.
  const mustPause = (): boolean => signal.aborted || memory.search !== running;
  try {
    await runSearch(running, { messages: due.messages, ask: (messages) => ask(due, messages, signal), mustPause });
    if (mustPause()) return;
    const finding = searched(memory, knownParts(sessionId, memory), running);
    if (finding) tellFinding(sessionId, memory, running, finding);
  } catch (error) {
    logFailure("search", error, "the conversation is answered from its last words until the next turn");
  }
}

/** Asks about messages; undefined where the answer says nothing about them. Never rejects. */
async function ask(
  { api, probe, isServerError }: DueSearch,
  messages: unknown[],
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const refused = (ending: Ending): false | undefined =>
    refusesProbe(readEndingError(ending, api), isServerError) ? false : undefined;
  const judged = (message: AssistantMessage, type: string): boolean | undefined => {
    if (message.stopReason === "aborted") return undefined;
    if (type === "error" || message.stopReason === "error") return refused({ message, event: { type } });
    // How a prompt that a filter blocks is reported in OpenClaw 2026.2.
    return !isEmpty(message);
  };
  try {
    const stream = await opened(() => probe(messages, stop));
    if (!isEventStream(stream)) return refused(stream);
    for await (const event of stream) {
      const message = finishedMessage(event);
      if (message) return judged(message, event.type);
      // A provider that has begun to answer has accepted the request.
      if (event.type !== "start") return true;
    }
    return judged(await stream.result(), "done");
  } catch (thrown) {
    return refused({ thrown });
  } finally {
    over.abort();
  }
}

function tellFinding(
  sessionId: string | undefined,
  memory: SessionMemory,
  running: RouteSearch,
  finding: Finding,
): void {
  const { route, search } = running;
  emit("l0:recovery:searched", () => ({ sessionId, requests: search.probes }), { kind: finding.found });
  logLine(`search session=${sessionId ?? "?"} requests=${search.probes} ${WHAT_IT_MEANS[finding.found]}`);
  if (finding.found === "no_half") return;
  // That less is left out than before needs no telling.
  if (finding.found !== "nothing" && running.found === undefined) memory.untoldParts = route;
  running.found = finding;
}

const WHAT_IT_MEANS: Readonly<Record<Finding["found"], string>> = {
  part: "the refused part of the history is left out, or sent as text, from now on",
  half: "two places of the history are refused together: one of them is left out from now on",
  nothing: "the history is taken again",
  no_half: "no half of the history is taken",
};
