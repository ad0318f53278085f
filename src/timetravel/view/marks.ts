import type { Action } from "../action-log.ts";
import type { StoredTimeline } from "../stored.ts";

/** Labels of one node: names, checkpoints and moves. */
export interface Marks {
  readonly refs: readonly string[];
  readonly checkpoints: readonly string[];
  /** Moves that left from this node. */
  readonly departures: readonly {
    readonly by: string;
    readonly to: string | null;
    readonly carryoverId: string | null;
  }[];
  /** The move whose carryover this entry is. */
  readonly arrivals: readonly { readonly by: string; readonly from: string | null; readonly to: string | null }[];
}

type Collected = { -readonly [Kind in keyof Marks]: Marks[Kind][number][] };

/** Collects the labels of all nodes that have any, by node id; the youngest checkpoint comes first. */
export function marksOf({
  history,
  references,
  checkpoints,
  actions,
}: Pick<StoredTimeline, "history" | "references" | "checkpoints"> & {
  readonly actions: readonly Action[];
}): ReadonlyMap<string, Marks> {
  const marks = new Map<string, Collected>();
  const at = (id: string | null | undefined): Collected | undefined => {
    const node = id === null || id === undefined ? undefined : history.node(id);
    if (!node) return undefined;
    if (!marks.has(node.id)) marks.set(node.id, { refs: [], checkpoints: [], departures: [], arrivals: [] });
    return marks.get(node.id);
  };
  for (const { name, nodeId } of references) at(nodeId)?.refs.push(name);
  for (const { id, leafEntryId } of checkpoints.toReversed()) at(leafEntryId)?.checkpoints.push(id);
  for (const { kind, from, to, carryoverId, by } of actions) {
    if (kind !== "INCARNATE") continue;
    at(from)?.departures.push({ by, to, carryoverId });
    at(carryoverId)?.arrivals.push({ by, from, to });
  }
  return marks;
}

/**
 * Formats the labels of a node for one line, each in brackets, with ids as `shown` writes them. Only the youngest
 * checkpoint is named, because all of them are the same place.
 */
export function markWords(
  { refs, checkpoints, departures, arrivals }: Marks,
  shown: (id: string) => string = (id) => id,
): string[] {
  const at = (id: string | null): string => (id === null ? "the beginning" : shown(id));
  const [checkpoint, ...more] = checkpoints;
  return [
    ...arrivals.map(({ by, from }) => `[the ${by} came from ${at(from)}]`),
    ...departures.map(({ by, carryoverId }) => `[the ${by} left for ${at(carryoverId)}]`),
    ...refs.map((name) => `[ref:${name}]`),
    ...(checkpoint === undefined
      ? []
      : [`[checkpoint:${checkpoint}${more.length > 0 ? ` and ${more.length} older` : ""}]`]),
  ];
}
