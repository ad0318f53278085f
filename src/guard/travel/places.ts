import { existsSync } from "node:fs";
import { toIso, NO_TIME } from "../../base/time.ts";
import type { Checkpoint } from "../../journal/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import {
  agentMarks,
  readArrival,
  type AgentTimeline,
  type AskedPlaces,
  assertName,
  byShortId,
  canGoTo,
  type History,
  type MarkedPlace,
  NodeHashes,
  placeToMark,
  resolveTarget,
  toShortIds,
  type Target,
  timeline,
  type TimelineNode,
} from "../../timetravel/index.ts";
import { quotedInline } from "../../base/quoted.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import { openTimelineIndex, type PlacedReference, timelineIndexFile } from "../../timetravel/timeline-index/index.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import type { GuardContext } from "../openclaw/session.ts";

/** How long an agent waits while a person's command writes names. */
const BUSY_MS = 1000;

const NOTHING = {
  nodes: [],
  more: 0,
  branches: [],
  more_branches: 0,
  departures: [],
  checkpoints: [],
  names: [],
} as const;

/**
 * Resolves the target that an agent names: an entry, a checkpoint of its session, or a name that a person gave. Throws
 * a TimeTravelError when there is no such target.
 */
export function placeFor(history: History, asked: string, context: GuardContext): Target {
  const checkpoint = (written: string): string | null | undefined =>
    byShortId(listCheckpoints(context), written)?.leafEntryId;
  const reference = (name: string): string | undefined =>
    withNames(context, history).find((one) => one.name === name)?.nodeId;
  return resolveTarget(history, asked, { checkpoint, reference });
}

function listCheckpoints({ sessionId }: GuardContext): readonly Checkpoint[] {
  return sessionId === undefined ? [] : (withJournal(({ checkpoints }) => checkpoints.list(sessionId)) ?? []);
}

/** Returns the places that an agent can move to, with all departures, checkpoints and names; ids are shortened. */
export function agentTimeline(
  history: History,
  { most, before: asked }: AskedPlaces,
  context: GuardContext,
): AgentTimeline {
  const ids = toShortIds(history);
  const known = listCheckpoints(context);
  const before = asked === undefined ? undefined : placeFor(history, asked, context).nodeId;
  // There is nothing before the beginning.
  if (before === null) return { ...NOTHING, head: null };
  const departures = history.nodes().flatMap(({ entry, id }) => {
    const left = readArrival(entry)?.departureId;
    return typeof left === "string"
      ? [{ id: ids.shorten(left), left_for: ids.shorten(id), time: toIso(entry.timestamp) ?? null }]
      : [];
  });
  // Several checkpoints of one place are one target; the newest is listed.
  const places = new Map(
    known.flatMap(({ leafEntryId, timestamp }) => {
      const node = leafEntryId === null ? undefined : history.node(leafEntryId);
      return node && canGoTo(history, node)
        ? [[node.id, { id: ids.shorten(node.id), time: toIso(timestamp) ?? NO_TIME }] as const]
        : [];
    }),
  );
  const { nodes, branches, head, ...listed } = timeline(history, { most, before });
  const short = (node: TimelineNode): TimelineNode => ({ ...node, id: ids.shorten(node.id) });
  const people = withNames(context, history).flatMap(({ name, nodeId }) =>
    nodeId === undefined ? [] : [[name, nodeId]],
  );
  const taken = new Set(people.map(([name]) => name));
  const agentNames = [...agentMarks(history)].filter(([name]) => !taken.has(name)).map(([name, { id }]) => [name, id]);
  return {
    ...listed,
    head: head === null ? null : ids.shorten(head),
    nodes: nodes.map(short),
    branches: branches.map(short),
    departures: departures.toReversed(),
    checkpoints: [...places.values()].toReversed(),
    names: [...people, ...agentNames.toReversed()].map(([name, id]) => ({ name: name!, id: ids.shorten(id!) })),
  };
}

/**
 * Checks a name that the agent gives to the present place. Throws `bad-name` for a text that is no name, `name-taken`
 * for the name of a person's, and `bad-target` where there is no place yet.
 */
export function placeWithMark(history: History, name: string, context: GuardContext): MarkedPlace {
  assertName(name);
  if (withNames(context, history).some((one) => one.name === name)) {
    throw timeTravelError("name-taken", {
      expected: "a name that no person has given to a place of this session",
      found: quotedInline(name, 100),
      todo: "Choose another name. Nothing was marked.",
    });
  }
  const place = placeToMark(history);
  if (place) return { name, id: toShortIds(history).shorten(place.id) };
  throw timeTravelError("bad-target", {
    expected: "a place before this batch of calls",
    found: "none: the conversation begins with it",
    todo: "That place is always named root. Nothing was marked.",
  });
}

/**
 * Returns the names that people gave to places, with the node that each has in this history. Empty when the file of
 * names is missing or cannot be read.
 */
function withNames({ sessionId, sessionKey }: GuardContext, history: History): PlacedReference[] {
  const file = timelineIndexFile(stateDirectory());
  if (sessionId === undefined || !existsSync(file)) return [];
  try {
    const index = openTimelineIndex(file, { readOnly: true, busyTimeoutMs: BUSY_MS });
    try {
      return index.references.placed({ sessionId, sessionKey }, history, new NodeHashes(history));
    } finally {
      index.close();
    }
  } catch (error) {
    logFailure("names of places", error, "places are named by their ids");
    return [];
  }
}
