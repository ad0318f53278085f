import type { History, HistoryNode } from "./history.ts";

/** Two places of one history, beside each other. */
export interface Difference {
  /** The last node that both have before them; null when they have none in common. */
  readonly common: HistoryNode | null;
  /** What leads from there to the one, oldest first. */
  readonly left: readonly HistoryNode[];
  readonly right: readonly HistoryNode[];
}

/** Where the paths to two nodes part, and what is on each from there on. */
export function differenceOf(history: History, left: string | null, right: string | null): Difference {
  const [one, other] = [history.path(left), history.path(right)];
  let same = 0;
  while (same < Math.min(one.length, other.length) && one[same]!.id === other[same]!.id) same += 1;
  return { common: one[same - 1] ?? null, left: one.slice(same), right: other.slice(same) };
}
