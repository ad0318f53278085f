import { existsSync } from "node:fs";
import { isoOf, NO_TIME } from "../../base/time.ts";
import type { Checkpoint } from "../../journal/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import {
  arrivalOf,
  type AgentTimeline,
  byShortId,
  canGoTo,
  type History,
  NodeHashes,
  resolveTarget,
  type Target,
  timeline,
} from "../../timetravel/index.ts";
import { openSideIndex, type PlacedReference, sideIndexFile } from "../../timetravel/side-index/index.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure } from "../base/log.ts";
import type { GuardContext } from "../openclaw/session.ts";

/** How long an agent waits while a person's command writes names. */
const BUSY_MS = 1000;

/**
 * Resolves the target that an agent names: an entry, a checkpoint of its session, or a name that a person gave. Throws
 * a TimeTravelError when there is no such target.
 */
export function placeFor(history: History, asked: string, context: GuardContext): Target {
  const checkpoint = (written: string): string | null | undefined =>
    byShortId(checkpointsOf(context), written)?.leafEntryId;
  const reference = (name: string): string | undefined =>
    withNames(context, history).find((one) => one.name === name)?.nodeId;
  return resolveTarget(history, asked, { checkpoint, reference });
}

function checkpointsOf({ sessionId }: GuardContext): readonly Checkpoint[] {
  return sessionId === undefined ? [] : (withJournal(({ checkpoints }) => checkpoints.list(sessionId)) ?? []);
}

/** Returns the places that an agent can move to, with departures, checkpoints and names; at most `most` of each. */
export function agentTimeline(history: History, most: number, context: GuardContext): AgentTimeline {
  const known = checkpointsOf(context);
  const departures = history.nodes().flatMap(({ entry, id }) => {
    const left = arrivalOf(entry)?.departureId;
    return typeof left === "string" ? [{ id: left, left_for: id, time: isoOf(entry.timestamp) ?? null }] : [];
  });
  // Several checkpoints of one place are one target; the newest is listed.
  const places = new Map(
    known.flatMap(({ id, leafEntryId, timestamp }) => {
      const node = leafEntryId === null ? undefined : history.node(leafEntryId);
      return node && canGoTo(history, node)
        ? [[node.id, { target: `checkpoint:${id}`, behind: node.id, time: isoOf(timestamp) ?? NO_TIME }] as const]
        : [];
    }),
  );
  return {
    ...timeline(history, most),
    departures: departures.toReversed().slice(0, most),
    checkpoints: [...places.values()].toReversed().slice(0, most),
    names: withNames(context, history)
      .flatMap(({ name, nodeId }) => (nodeId === undefined ? [] : [{ target: `ref:${name}`, behind: nodeId }]))
      .slice(0, most),
  };
}

/**
 * Returns the names that people gave to places, with the node that each has in this history. Empty when the file of
 * names is missing or cannot be read.
 */
function withNames({ sessionId, sessionKey }: GuardContext, history: History): PlacedReference[] {
  const file = sideIndexFile(stateDirectory());
  if (sessionId === undefined || !existsSync(file)) return [];
  try {
    const index = openSideIndex(file, { readOnly: true, busyTimeoutMs: BUSY_MS });
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
