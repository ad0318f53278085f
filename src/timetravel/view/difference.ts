import type { History, HistoryNode } from "../history.ts";

/** The difference between the paths to two nodes of one history. */
export interface Difference {
  /** The last node on both paths; null when there is none. */
  readonly common: HistoryNode | null;
  /** The nodes after `common` on each path, oldest first. */
  readonly left: readonly HistoryNode[];
  readonly right: readonly HistoryNode[];
}

/** Compares the paths to two nodes: their last common node, and the nodes after it on each path. */
export function differenceOf(history: History, left: string | null, right: string | null): Difference {
  const [one, other] = [history.path(left), history.path(right)];
  let same = 0;
  while (same < Math.min(one.length, other.length) && one[same]!.id === other[same]!.id) same += 1;
  return { common: one[same - 1] ?? null, left: one.slice(same), right: other.slice(same) };
}
