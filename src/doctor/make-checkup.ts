import { groupBy } from "../base/group-by.ts";
import { toConversation, examineLoaded, scan, type ScanMemory, type ScannedSession } from "../health/index.ts";
import { describeError } from "../store/errors.ts";
import { findSummaryOrFile, refusedDatabases, type Catalog } from "../store/index.ts";
import { isObject } from "../transcript/json/json.ts";
import { withFaults } from "./archive-faults.ts";
import { findArchives } from "./archives.ts";
import type { CheckedSession, Checkup, OpenClawAtHand, Remedy } from "./checkup.ts";
import { firstWords } from "./drawing/draw-parts.ts";
import type { DrawnItem, Drawing } from "./drawing/drawing.ts";
import { drawSession } from "./drawing/draw-session.ts";
import { readIncidents } from "./incidents.ts";
import { readJournal } from "./journal-facts.ts";
import { readLeftBehind } from "./left-behind.ts";
import { printable } from "./printable.ts";
import { remedyFor, type Named } from "./remedy.ts";
import { learnedRoutesIn } from "./routes.ts";
import { bySeverity, judgedBy } from "./severity.ts";
import { hasFaults } from "./words.ts";

/** Maximum number of items of all conversations of a page: at most some three megabytes. */
const MAX_PAGE_ITEMS = 3000;
/** Maximum number of items of one conversation, among several and alone. */
const MAX_ITEMS = 240;
const MAX_ITEMS_OF_ONE = 1500;
/** Maximum number of messages with faults of a session that are shown with their first words. */
const MAX_WITH_WORDS = 5;
const WORDS = 80;

/** Options of a checkup. */
export interface CheckupOptions {
  readonly stateDirectory: string;
  /** The only session to examine: its id, the key of its conversation, or a transcript file. */
  readonly only?: string;
  readonly agentId?: string;
  /** Results of earlier scans; unchanged sessions are not read again. */
  readonly memory?: ScanMemory;
  /** Also draw the conversations. */
  readonly isDrawn?: boolean;
  /** Include first words of messages. */
  readonly withWords?: boolean;
  /** The OpenClaws that use these sessions: faults are judged by their release. */
  readonly openclaws?: readonly OpenClawAtHand[];
  readonly onProgress?: (done: number, all: number) => void;
}

/**
 * Examines all stored sessions, or one, and collects what a person needs to know: faults and what removes them,
 * checkpoints, archives, incidents. Changes nothing but `memory`, which is not saved. Works beside a running gateway
 * and without OpenClaw. What cannot be read is reported in the checkup. Rejects only as `findSummaryOrFile` does.
 */
export async function makeCheckup(catalog: Catalog, options: CheckupOptions): Promise<Checkup> {
  const { stateDirectory, only, agentId, memory, onProgress } = options;
  const one = only === undefined ? undefined : findSummaryOrFile(catalog, only, agentId);
  const looked: Catalog = one === undefined ? catalog : { ...catalog, list: () => ({ sessions: [one], problems: [] }) };
  // With an agent named, a scan keeps the results of the sessions that it does not examine.
  const agent = one?.agentId ?? agentId;
  // Meanwhile the sessions are read.
  const refused = refusedDatabases(stateDirectory, agent);
  const scanned = await scan(looked, {
    ...(agent !== undefined && { agentId: agent }),
    ...(memory && { memory }),
    ...(onProgress && { onProgress }),
  });
  const journal = readJournal(stateDirectory, one?.sessionId);
  const summaries = scanned.sessions.map(({ session }) => session);
  const concerns = (sessionId: string | undefined): boolean =>
    (only === undefined && agentId === undefined) || summaries.some((session) => session.sessionId === sessionId);
  const found = readIncidents(stateDirectory);
  const incidents = { ...found, list: found.list.filter(({ sessionId }) => concerns(sessionId)) };
  const archives = withFaults(
    findArchives(stateDirectory, summaries).filter(({ sessionId }) => concerns(sessionId)),
    catalog,
    summaries,
  );
  const checkpointsBySession = groupBySession(journal.checkpoints ?? []);
  const incidentsBySession = groupBySession(incidents.list);
  const archivesBySession = groupBySession(archives);
  const named: Named = {
    ...(only !== undefined && { only }),
    ...(agentId !== undefined && { agentId }),
    sessions: summaries,
  };
  const sessions: CheckedSession[] = [];
  for (const session of scanned.sessions) {
    const { sessionId } = session.session;
    sessions.push({
      ...session,
      ...(await whereFaulty(catalog, session, named, options)),
      checkpoints: journal.checkpoints && checkpointsBySession(sessionId),
      incidents: incidentsBySession(sessionId),
      archives: archivesBySession(sessionId),
    });
  }
  return {
    at: Date.now(),
    stateDirectory,
    sessions: options.isDrawn === true ? drawSessions(catalog, sessions, options) : sessions,
    problems: [...scanned.problems, ...(await refused)],
    journal,
    archives,
    incidents,
    routes: only === undefined && agentId === undefined ? learnedRoutesIn(stateDirectory) : [],
    leftBehind: only === undefined && agentId === undefined ? readLeftBehind(stateDirectory, catalog) : [],
    ...(only !== undefined && { only }),
    ...(options.openclaws !== undefined && { openclaws: options.openclaws }),
  };
}

/** Groups items by session id. */
function groupBySession<Item extends { readonly sessionId?: string }>(
  items: readonly Item[],
): (sessionId: string) => readonly Item[] {
  const groups = groupBy(items, ({ sessionId }) => sessionId);
  return (sessionId) => groups.get(sessionId) ?? [];
}

async function whereFaulty(
  catalog: Catalog,
  scanned: ScannedSession,
  named: Named,
  { stateDirectory, withWords = false }: CheckupOptions,
): Promise<{ remedy?: Remedy; words?: string[] }> {
  if (!hasFaults(scanned)) return {};
  try {
    const remedy = await remedyFor(catalog, scanned.session, named, stateDirectory);
    return { remedy, ...(withWords && { words: wordsAtFault(catalog, scanned) }) };
  } catch {
    // The session was deleted or locked since the scan.
    return {};
  }
}

function wordsAtFault(catalog: Catalog, { session }: ScannedSession): string[] {
  const stored = catalog.read(session);
  const conversation = toConversation(stored, session);
  const at = [...new Set(examineLoaded(stored, conversation).violations.map(({ messageIndex }) => messageIndex))].slice(
    0,
    MAX_WITH_WORDS,
  );
  return at.map((index) => {
    const message = conversation.messages[index];
    return `message ${index + 1}: ${printable(isObject(message) ? firstWords(message, WORDS) : "", WORDS)}`;
  });
}

/** Draws the sessions by severity, then the youngest first, up to the size of a page. */
function drawSessions(
  catalog: Catalog,
  sessions: readonly CheckedSession[],
  { only, withWords = false, openclaws }: CheckupOptions,
): CheckedSession[] {
  let itemsLeft = MAX_PAGE_ITEMS;
  const drawings = new Map<CheckedSession, Partial<CheckedSession>>();
  for (const session of [...bySeverity(sessions, judgedBy(openclaws)).values()].flat()) {
    if (session.unread !== undefined) continue;
    if (itemsLeft <= 0) break;
    try {
      const limit = Math.min(only === undefined ? MAX_ITEMS : MAX_ITEMS_OF_ONE, Math.max(itemsLeft, 20));
      const drawing = drawSession(catalog.read(session.session), session.session, {
        checkpoints: session.checkpoints ?? [],
        withWords,
        limit,
      });
      itemsLeft -= itemCount(drawing);
      // A gateway may have written since the scan; table and drawing must show the same state.
      drawings.set(session, { drawing, examination: drawing.examination });
    } catch (error) {
      drawings.set(session, { unread: describeError(error) });
    }
  }
  return sessions.map((session) => ({ ...session, ...drawings.get(session) }));
}

function itemCount({ line, before }: Drawing): number {
  const count = (items: readonly DrawnItem[]): number =>
    items.reduce((sum, item) => {
      const entries = item.kind === "entry" ? [item.entry] : item.kind === "collapsed" ? item.entries : [];
      return (
        sum +
        1 +
        entries.length +
        entries.flatMap(({ departures }) => departures).reduce((all, departure) => all + count(departure.items), 0)
      );
    }, 0);
  return count(line) + before.reduce((sum, { items }) => sum + count(items), 0);
}
