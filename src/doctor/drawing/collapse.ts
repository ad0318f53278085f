import { contentsOf, faultCount } from "./contents.ts";
import type { CallLink, DrawnEntry, DrawnItem } from "./drawing.ts";

/** Up to here a line is drawn whole. */
const WHOLE = 24;
/** A stretch has to save something. */
const SHORTEST = 4;
/** Up to here a stretch can be opened. */
const OPENED = 40;
/** How many neighbours of a remarkable entry are drawn. */
const AROUND = 1;

/**
 * The line with its sound stretches drawn together: what has nothing to tell but its number. Faults, the other end of a
 * call at fault, places in the tree and summaries stay, with a neighbour on either side. At most `limit` items; what is
 * then left out says so in the middle.
 */
export function collapse(entries: readonly DrawnEntry[], limit: number): DrawnItem[] {
  return shortened(stretched(entries), limit).map((item) =>
    item.kind === "stretch" && item.entries.length > OPENED ? { ...item, entries: [] } : item,
  );
}

function stretched(entries: readonly DrawnEntry[]): DrawnItem[] {
  const kept = remarkable(entries);
  const items: DrawnItem[] = [];
  let stretch: DrawnEntry[] = [];
  const close = (): void => {
    const isSent = stretch.some((entry) => entry.isSent);
    if (stretch.length >= SHORTEST || (stretch.length > 0 && !isSent))
      items.push({ kind: "stretch", contents: contentsOf(stretch), entries: stretch, isSent });
    else for (const entry of stretch) items.push({ kind: "entry", entry });
    stretch = [];
  };
  for (const [at, entry] of entries.entries()) {
    if (!kept.has(at)) {
      if (stretch.length > 0 && stretch[0]!.isSent !== entry.isSent) close();
      stretch.push(entry);
      continue;
    }
    close();
    items.push({ kind: "entry", entry });
  }
  close();
  return items;
}

function remarkable(entries: readonly DrawnEntry[]): ReadonlySet<number> {
  const kept = new Set<number>();
  const isShort = entries.filter(({ isSent }) => isSent).length <= WHOLE;
  const byNumber = new Map(entries.map(({ number }, at) => [number, at]));
  const links = new Set<CallLink>();
  for (const [at, entry] of entries.entries()) {
    const hasFaults = faultCount(entry) > 0;
    if (!hasFaults && !isPlace(entry) && !(isShort && entry.isSent)) continue;
    const partners = hasFaults ? entry.parts.flatMap(({ link }) => newOnes(link, links)) : [];
    for (const one of [at, ...partners.map((number) => byNumber.get(number) ?? at)]) kept.add(one);
    if (hasFaults)
      for (let near = at - AROUND; near <= at + AROUND; near++) if (near >= 0 && near < entries.length) kept.add(near);
  }
  for (const at of [0, entries.length - 1]) if (entries[at]?.isSent === true) kept.add(at);
  return kept;
}

/** The messages of a link that was not looked at before. */
function newOnes(link: CallLink | undefined, seen: Set<CallLink>): readonly number[] {
  if (link === undefined || seen.has(link)) return [];
  seen.add(link);
  return [link.call, ...link.results];
}

/** Something in it concerns the tree, or the conversation as a whole. */
function isPlace({ type, note, moves, isLeaf, isFailed, checkpoints, departures, parts }: DrawnEntry): boolean {
  const isBoundary = type === "compaction" || type === "reset" || type === "branch_summary";
  const isOpen = parts.some(
    ({ kind, link, isInvented }) => (kind === "call" && link?.results.length === 0) || isInvented,
  );
  return (
    isBoundary ||
    note !== undefined ||
    moves.length > 0 ||
    isLeaf ||
    isFailed ||
    isOpen ||
    checkpoints.length > 0 ||
    departures.length > 0
  );
}

/** The entries of an item. */
function entriesOf(item: DrawnItem): readonly DrawnEntry[] {
  return item.kind === "entry" ? [item.entry] : item.kind === "stretch" ? item.entries : [];
}

function shortened(items: readonly DrawnItem[], limit: number): DrawnItem[] {
  if (items.length <= limit + SHORTEST) return [...items];
  const head = Math.ceil((limit * 2) / 3);
  const tail = Math.max(1, limit - head - 1);
  const omitted = items.slice(head, items.length - tail).flatMap(entriesOf);
  return [
    ...items.slice(0, head),
    { kind: "omitted", contents: contentsOf(omitted) },
    ...items.slice(items.length - tail),
  ];
}
