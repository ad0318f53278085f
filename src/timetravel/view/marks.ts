import { originOfResult } from "../../transcript/invented.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { Action } from "../action-log.ts";
import { markOfEntry } from "../files/places.ts";
import type { StoredTimeline } from "../stored.ts";

/** Labels of one node: names, checkpoints, moves, and what was done beside the conversation. */
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
  /** What the agent did here beside the conversation: `files changed`, `work: update_task done`. */
  readonly effects: readonly string[];
}

type Collected = { -readonly [Kind in keyof Marks]: Marks[Kind][number][] };

/** A word by which a tool for recorded work says what it does; others are words of the conversation. */
const PLAIN = /^[a-z_]{1,20}$/;

/**
 * Collects the labels of all nodes that have any, by node id; the youngest checkpoint comes first. Calls of tools with
 * names that begin with `workPrefix` have recorded work.
 */
export function collectLabels(
  {
    history,
    references,
    checkpoints,
    actions,
    changed,
  }: Pick<StoredTimeline, "history" | "references" | "checkpoints" | "changed"> & {
    readonly actions: readonly Action[];
  },
  workPrefix?: string,
): ReadonlyMap<string, Marks> {
  const marks = new Map<string, Collected>();
  const at = (id: string | null | undefined): Collected | undefined => {
    const node = id === null || id === undefined ? undefined : history.node(id);
    if (!node) return undefined;
    if (!marks.has(node.id))
      marks.set(node.id, { refs: [], checkpoints: [], departures: [], arrivals: [], effects: [] });
    return marks.get(node.id);
  };
  for (const { name, nodeId } of references) at(nodeId)?.refs.push(name);
  for (const { id, leafEntryId } of checkpoints.toReversed()) at(leafEntryId)?.checkpoints.push(id);
  for (const { kind, from, to, carryoverId, by } of actions) {
    if (kind !== "INCARNATE") continue;
    at(from)?.departures.push({ by, to, carryoverId });
    at(carryoverId)?.arrivals.push({ by, from, to });
  }
  for (const { id, role, entry } of history.nodes()) {
    const words =
      workPrefix !== undefined && role === "toolResult" ? readChangedWork(entry.message, workPrefix) : undefined;
    if (words !== undefined) at(id)?.effects.push(words);
    if (changed.size > 0 && changed.has(markOfEntry(entry))) at(id)?.effects.push("files changed");
  }
  return marks;
}

/**
 * Returns a timeline without the checkpoints that were made automatically: one stands before every turn and every
 * batch.
 */
export function withoutAutomatic<Stored extends Pick<StoredTimeline, "checkpoints">>(stored: Stored): Stored {
  return { ...stored, checkpoints: stored.checkpoints.filter(({ operation }) => operation === "manual") };
}

/** What the result of a call tells of recorded work that it has changed; undefined for every other one. */
function readChangedWork(message: unknown, prefix: string): string | undefined {
  if (!isObject(message) || message.isError === true || originOfResult(message) !== "real") return undefined;
  const { toolName, details } = message;
  if (typeof toolName !== "string" || !toolName.startsWith(prefix)) return undefined;
  const tool = toolName.slice(prefix.length);
  // What only reads, changes nothing and is told in the conversation.
  if (!PLAIN.test(tool) || tool.startsWith("get_")) return undefined;
  const status = isObject(details) && typeof details.status === "string" ? details.status : "";
  return `work: ${tool}${PLAIN.test(status) ? ` ${status}` : ""}`;
}

/**
 * Formats the labels of a node for one line, each in brackets, with ids as `shown` writes them. Only the youngest
 * checkpoint is named, because all of them are the same place.
 */
export function markWords(
  { refs, checkpoints, departures, arrivals, effects }: Marks,
  shown: (id: string) => string = (id) => id,
): string[] {
  const at = (id: string | null): string => (id === null ? "the beginning" : shown(id));
  const [checkpoint, ...more] = checkpoints;
  return [
    ...arrivals.map(({ by, from }) => `[the ${by} came from ${at(from)}]`),
    ...departures.map(({ by, carryoverId }) => `[the ${by} left for ${at(carryoverId)}]`),
    ...refs.map((name) => `[mark ${name}]`),
    ...(checkpoint === undefined
      ? []
      : [`[checkpoint ${checkpoint}${more.length > 0 ? ` and ${more.length} older` : ""}]`]),
    ...effects.map((effect) => `[${effect}]`),
  ];
}
