import { isoOf } from "../base/time.ts";
import { cut } from "./cut.ts";
import { canGoTo } from "./closed.ts";
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
  readonly head: string | null;
  /** Nodes of the present path to which a move can go, the latest first. */
  readonly nodes: readonly TimelineNode[];
  readonly more: number;
  /** Ends of all other branches, departures included, the latest first. */
  readonly branches: readonly TimelineNode[];
}

const FIRST_WORDS = 80;

/**
 * Lists the places to which a move can go: nodes of the present path and ends of the other branches, each with its
 * first words, at most `most` of each.
 */
export function timeline(history: History, most = 30): Timeline {
  const path = history.path();
  const closed = path.filter((node) => canGoTo(history, node)).toReversed();
  const onPath = new Set(path.map(({ id }) => id));
  const users = path.filter(({ role }) => role === "user").map(({ order }) => order);
  const turnsBack = (node: HistoryNode): number => users.filter((order) => order > node.order).length;
  const branches = history
    .tips()
    .filter(({ id }) => !onPath.has(id))
    .toReversed();
  return {
    head: history.headId,
    nodes: closed.slice(0, most).map((node) => shown(node, turnsBack(node))),
    more: Math.max(0, closed.length - most),
    branches: branches.slice(0, most).map((node) => shown(node, null)),
  };
}

function shown(node: HistoryNode, turns_back: number | null): TimelineNode {
  const words = textOfNode(node).replace(/\s+/g, " ").trim();
  return {
    id: node.id,
    role: node.role,
    first_words: cut(words, FIRST_WORDS),
    time: isoOf(node.entry.timestamp) ?? null,
    turns_back,
  };
}
