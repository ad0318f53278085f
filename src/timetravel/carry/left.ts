import { findDeparture } from "../conversation/unanswered.ts";
import type { History, HistoryNode } from "../history.ts";
import { readArrival } from "../records.ts";
import type { Target } from "../target.ts";

/**
 * Nodes that a move leaves, in stored order: those of the present path after the target, and those that earlier moves
 * on that path have left. With `takenBack` false, without those that an operator's move has left.
 */
export function leftBehind(
  history: History,
  target: Target,
  { takenBack = true }: { readonly takenBack?: boolean } = {},
): HistoryNode[] {
  const stays = new Set(history.path(target.nodeId).map(({ id }) => id));
  const leftNodes = new Map<string, HistoryNode>();
  const ends = [history.headId === null ? undefined : history.node(history.headId)];
  while (ends.length > 0) {
    // The walk ends at a node that stays or is collected already: all nodes above it are, too.
    for (let node = ends.pop(); node && !stays.has(node.id) && !leftNodes.has(node.id); node = history.parent(node)) {
      leftNodes.set(node.id, node);
      const arrival = readArrival(node.entry);
      if (arrival && (takenBack || arrival.by === "agent")) ends.push(findDeparture(history, arrival));
    }
  }
  return inOrder(leftNodes.values());
}

/**
 * All nodes of the session that ran after the target or were left on the way from there, in stored order: what
 * {@link leftBehind} returns, and every branch below the target, whoever left it. What the carryovers on the way to the
 * target list already is not among them.
 */
export function ranSince(history: History, target: Target): HistoryNode[] {
  const stays = new Set(history.path(target.nodeId).map(({ id }) => id));
  const ran = new Map(leftBehind(history, target).map((node) => [node.id, node]));
  const below = history.children(target.nodeId);
  for (let node = below.pop(); node; node = below.pop()) {
    if (stays.has(node.id)) continue;
    ran.set(node.id, node);
    for (const child of history.children(node.id)) below.push(child);
  }
  return inOrder(ran.values());
}

function inOrder(nodes: Iterable<HistoryNode>): HistoryNode[] {
  return [...nodes].toSorted((one, other) => one.order - other.order);
}
