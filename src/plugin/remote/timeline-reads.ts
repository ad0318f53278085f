/** What the chat commands on the tree of a conversation read, as plain data. */
import { existsSync } from "node:fs";
import { journalFile, openJournal, type ToolCycle } from "../../journal/index.ts";
import { describeError } from "../../base/coded-error.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import { toFilePlace } from "../../timetravel/files/places.ts";
import { requireLastMove } from "../../timetravel/files/undo.ts";
import { workspaceOfSession } from "../../timetravel/rewind-stored.ts";
import { type Decision, type FilePlace, type FilesReport, type Owner, previewFiles } from "../../workspace/index.ts";
import {
  type AskedPlace,
  askedPlaces,
  type Change,
  previewChange,
  conversationEnd,
  type HashedAction,
  type HistoryNode,
  toShortIds,
  textOfNode,
  timeline,
  type Timeline,
  type TimelineNode,
} from "../../timetravel/index.ts";
import { TOOL_PREFIX } from "../../continuity-tools/project-name.ts";
import type { StoredTimeline } from "../../timetravel/stored.ts";
import { collectLabels, markWords, withoutAutomatic } from "../../timetravel/view/marks.ts";
import { toIso } from "../../base/time.ts";
import { cut } from "../../timetravel/cut.ts";

/** Stands for the place before the last move. */
const UNDO = "undo";
const FIRST_WORDS = 80;
/** Characters of a listed message that leave the thread. */
const LISTED_WORDS = 400;

/** The places of a conversation for its operator, with their first words; ids are as short as they can be. */
export interface Places extends Timeline {
  readonly sessionKey: string | undefined;
  /** Labels by entry id: names, checkpoints, and moves that left or arrived. */
  readonly marks: Readonly<Record<string, readonly string[]>>;
  /** What could not be read besides the rows, in sentences. */
  readonly problems: readonly string[];
}

/** The places before what was asked in a conversation. */
export interface Asked {
  /** The end of the conversation at which this holds. */
  readonly end: string | null;
  readonly places: readonly AskedPlace[];
  readonly problems: readonly string[];
}

/** A place that a person names in `/rewind`. */
export interface WantedPlace {
  /** A target; `undo` for where the last move left from. Unused where a message is named. */
  readonly place: string;
  /** Id of the message before which the place is. */
  readonly askedId?: string | undefined;
  /** Which version stays of files that someone else changed since. */
  readonly conflicts?: Decision | undefined;
  /** Whether a refusal may quote words of messages. */
  readonly withWords: boolean;
}

/** What a rewind to a place would change. */
export interface Preview extends Change {
  readonly end: string | null;
  readonly targetId: string | null;
  /** The target, for people; undefined for the beginning. */
  readonly target?: TimelineNode;
  /** The first message that would be taken out, with its number in the list of such places. */
  readonly asked?: AskedPlace & { readonly number: number };
  readonly isThere: boolean;
  /** What the place would do to files of the workspace, if they are to come back; undefined where none are captured. */
  readonly files?: FilesReport;
  /** Why that is not known, in a sentence. */
  readonly filesProblem?: string;
  /** Whether the undone move brought files back. */
  readonly broughtFiles: boolean;
}

/** The moves of a conversation, the latest first; ids are as short as they can be. */
export interface Moves {
  readonly moves: readonly HashedAction[];
  readonly more: number;
}

/** See {@link Places}. */
export function placesIn(stored: StoredTimeline, most: number): Places {
  const { history, session, problems } = stored;
  const ids = toShortIds(history);
  const { nodes, branches, head, ...rest } = timeline(history, { most });
  const short = (node: TimelineNode): TimelineNode => ({ ...node, id: ids.shorten(node.id) });
  return {
    ...rest,
    head: head === null ? null : ids.shorten(head),
    nodes: nodes.map(short),
    branches: branches.map(short),
    sessionKey: session.sessionKey,
    problems,
    marks: Object.fromEntries(
      [...collectLabels(withoutAutomatic(stored), TOOL_PREFIX)].map(([id, marks]) => [
        ids.shorten(id),
        markWords(marks, (one) => ids.shorten(one)),
      ]),
    ),
  };
}

/** See {@link Asked}. */
export function askedIn({ history, problems }: StoredTimeline, most: number): Asked {
  const places = askedPlaces(history, most).map((place) => ({ ...place, words: cut(place.words, LISTED_WORDS) }));
  return { end: conversationEnd(history), places, problems };
}

/** {@link Preview} without files, and what the files of its place are found by. Throws TimeTravelErrors. */
export function makePreview(
  stored: StoredTimeline,
  wanted: WantedPlace,
  stateDirectory: string,
): { readonly preview: Preview; readonly where: FilePlace; readonly owner: Owner } {
  const { history, session } = stored;
  const places = askedPlaces(history, Infinity);
  const last = wanted.place === UNDO && wanted.askedId === undefined ? requireLastMove(history) : undefined;
  const targetId = findTarget(stored, last ? { ...wanted, place: last.place } : wanted, places);
  const open = openCycles(stateDirectory, session.sessionId);
  const { calls: _calls, ...change } = previewChange(history, { nodeId: targetId }, open);
  const at =
    wanted.askedId === undefined
      ? places.findLastIndex((place) => place.targetId === targetId)
      : places.findIndex(({ id }) => id === wanted.askedId);
  const asked = places[at];
  const target = targetId === null ? undefined : history.node(targetId);
  return {
    preview: {
      ...change,
      end: conversationEnd(history),
      targetId,
      ...(target && { target: shownNode(stored, target) }),
      ...(asked && { asked: { ...asked, number: at + 1 } }),
      isThere: targetId === conversationEnd(history),
      broughtFiles: last?.files === "restore",
    },
    where: toFilePlace(history, targetId),
    owner: { sessionId: session.sessionId, sessionKey: session.sessionKey, agentId: session.agentId },
  };
}

/** Adds what the place would do to the files of the workspace. Never rejects: a rewind without files is possible. */
export async function withFiles(
  { preview, where, owner }: ReturnType<typeof makePreview>,
  stateDirectory: string,
  decision: Decision | undefined,
): Promise<Preview> {
  try {
    const workspace = workspaceOfSession(stateDirectory, owner);
    return workspace ? { ...preview, files: await previewFiles(workspace, { owner, where, decision }) } : preview;
  } catch (error) {
    return { ...preview, filesProblem: describeError(error) };
  }
}

/** See {@link Moves}. */
export function movesIn({ history, actions }: StoredTimeline, most: number): Moves {
  const ids = toShortIds(history);
  const short = (id: string | null): string | null => (id === null ? null : ids.shorten(id));
  const moves = actions
    .filter(({ kind }) => kind !== "DEPARTURE")
    .toReversed()
    .map((action) => ({
      ...action,
      from: short(action.from),
      to: short(action.to),
      carryoverId: short(action.carryoverId),
    }));
  return { moves: moves.slice(0, most), more: Math.max(0, moves.length - most) };
}

function findTarget(
  { resolve }: StoredTimeline,
  { place, askedId, withWords }: WantedPlace,
  places: readonly AskedPlace[],
): string | null {
  const named = askedId === undefined ? undefined : places.find(({ id }) => id === askedId);
  if (named) return named.targetId;
  if (askedId !== undefined)
    throw timeTravelError("bad-target", {
      expected: "a message of the present conversation",
      found: "one that is no longer part of it",
      todo: "/rewind lists those that are. Nothing was changed.",
    });
  return resolve(place, withWords).nodeId;
}

function shownNode({ history }: StoredTimeline, node: HistoryNode): TimelineNode {
  return {
    id: toShortIds(history).shorten(node.id),
    role: node.role,
    first_words: cut(textOfNode(node).replace(/\s+/g, " ").trim(), FIRST_WORDS),
    time: toIso(node.entry.timestamp) ?? null,
    turns_back: null,
  };
}

/** The calls without a result that the journal knows; none without a journal. */
function openCycles(stateDirectory: string, sessionId: string): readonly ToolCycle[] {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return [];
  const journal = openJournal(file, { readOnly: true, busyTimeoutMs: 1000 });
  try {
    return journal.cycles.open(sessionId);
  } finally {
    journal.close();
  }
}
