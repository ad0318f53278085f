import { toIso } from "../base/time.ts";
import { cut } from "./cut.ts";
import { canGoTo } from "./closed.ts";
import { conversationEnd, isAside } from "./conversation/authors.ts";
import { turnStarts } from "./conversation/turns.ts";
import { type History, type HistoryNode, textOfNode } from "./history.ts";

/** A node that an agent or an operator can name as a target. */
export interface TimelineNode {
  readonly id: string;
  readonly role: HistoryNode["role"];
  readonly first_words: string;
  /** ISO 8601; null when the entry has no valid time. */
  readonly time: string | null;
  /** How many turns before the present one, which is 0; null on another branch. */
  readonly turns_back: number | null;
}

/** The result of {@link timeline}. */
export interface Timeline {
  /** The node after which the conversation continues; commands to OpenClaw behind it are passed over. */
  readonly head: string | null;
  /** Nodes of the present path to which a move can go, the latest first. */
  readonly nodes: readonly TimelineNode[];
  readonly more: number;
  /** Ends of all other branches, departures included, the latest first. */
  readonly branches: readonly TimelineNode[];
  readonly more_branches: number;
}

/** Which places {@link timeline} lists. */
export interface TimelineOptions {
  /** How many of each kind at most; 30 by default. */
  readonly most?: number;
  /** Only places above this node, on its own path, and no branches. */
  readonly before?: string | undefined;
}

const FIRST_WORDS = 80;

/**
 * Lists the places to which a move can go: nodes of the present path and ends of the other branches, each with its
 * first words. Commands to OpenClaw and its answers to them are no places.
 */
export function timeline(history: History, { most = 30, before }: TimelineOptions = {}): Timeline {
  const path = history.path();
  const onPath = new Set(path.map(({ id }) => id));
  const isOnPath = before === undefined || onPath.has(before);
  const places = (before === undefined ? path : history.path(before).slice(0, -1))
    .map((node, at) => ({ node, at }))
    .filter(({ node }) => canGoTo(history, node) && !isAside(history, node))
    .toReversed();
  const turns = turnStarts(history, path);
  const turnsBack = (at: number): number | null => (isOnPath ? turns.length - countUpTo(turns, at) : null);
  const branches = (
    before === undefined ? [...new Set(history.tips().flatMap((tip) => lastPlace(history, tip) ?? []))] : []
  )
    .filter(({ id }) => !onPath.has(id))
    .toReversed();
  return {
    head: conversationEnd(history),
    nodes: places.slice(0, most).map(({ node, at }) => shown(node, turnsBack(at))),
    more: Math.max(0, places.length - most),
    branches: branches.slice(0, most).map((node) => shown(node, null)),
    more_branches: Math.max(0, branches.length - most),
  };
}

/** The end of a branch without the commands to OpenClaw behind it. */
function lastPlace(history: History, tip: HistoryNode): HistoryNode | undefined {
  let node: HistoryNode | undefined = tip;
  while (node && isAside(history, node)) node = node.parentId === null ? undefined : history.node(node.parentId);
  return node;
}

/** How many of the ascending numbers are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  const first = numbers.findIndex((number) => number > limit);
  return first < 0 ? numbers.length : first;
}

function shown(node: HistoryNode, turns_back: number | null): TimelineNode {
  const words = textOfNode(node).replace(/\s+/g, " ").trim();
  return {
    id: node.id,
    role: node.role,
    first_words: cut(words, FIRST_WORDS),
    time: toIso(node.entry.timestamp) ?? null,
    turns_back,
  };
}
