import { countContents, faultCount } from "./contents.ts";
import type { CallLink, DrawnEntry, DrawnItem } from "./drawing.ts";

/** A path with at most this many messages is drawn in full. */
const MAX_DRAWN_IN_FULL = 24;
/** Shorter runs are drawn entry by entry. */
const MIN_RUN = 4;
/** A longer run cannot be expanded on the page. */
const MAX_EXPANDABLE = 40;
/** Number of neighbours drawn on each side of an entry with faults. */
const AROUND = 1;

/**
 * Collapses runs of unremarkable entries into one item each. Entries with faults, the other ends of their calls, places
 * in the tree and summaries are kept, entries with faults with a neighbour on each side. Returns at most about `limit`
 * items; the middle is then replaced by one item that counts what is left out.
 */
export function collapse(entries: readonly DrawnEntry[], limit: number): DrawnItem[] {
  return shortened(collapseRuns(entries), limit).map((item) =>
    item.kind === "collapsed" && item.entries.length > MAX_EXPANDABLE ? { ...item, entries: [] } : item,
  );
}

function collapseRuns(entries: readonly DrawnEntry[]): DrawnItem[] {
  const kept = remarkable(entries);
  const items: DrawnItem[] = [];
  let run: DrawnEntry[] = [];
  const close = (): void => {
    const isSent = run.some((entry) => entry.isSent);
    if (run.length >= MIN_RUN || (run.length > 0 && !isSent))
      items.push({ kind: "collapsed", contents: countContents(run), entries: run, isSent });
    else for (const entry of run) items.push({ kind: "entry", entry });
    run = [];
  };
  for (const [at, entry] of entries.entries()) {
    if (!kept.has(at)) {
      if (run.length > 0 && run[0]!.isSent !== entry.isSent) close();
      run.push(entry);
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
  const isShort = entries.filter(({ isSent }) => isSent).length <= MAX_DRAWN_IN_FULL;
  const byNumber = new Map(entries.map(({ number }, at) => [number, at]));
  const links = new Set<CallLink>();
  for (const [at, entry] of entries.entries()) {
    const hasFaults = faultCount(entry) > 0;
    if (!hasFaults && !isPlace(entry) && !(isShort && entry.isSent)) continue;
    const partners = hasFaults ? entry.parts.flatMap(({ link }) => unseenNumbers(link, links)) : [];
    for (const one of [at, ...partners.map((number) => byNumber.get(number) ?? at)]) kept.add(one);
    if (hasFaults)
      for (let near = at - AROUND; near <= at + AROUND; near++) if (near >= 0 && near < entries.length) kept.add(near);
  }
  for (const at of [0, entries.length - 1]) if (entries[at]?.isSent === true) kept.add(at);
  return kept;
}

/** Returns the message numbers of a link, unless the link was seen before. */
function unseenNumbers(link: CallLink | undefined, seen: Set<CallLink>): readonly number[] {
  if (link === undefined || seen.has(link)) return [];
  seen.add(link);
  return [link.call, ...link.results];
}

/** Returns whether an entry marks something in the tree or in the conversation as a whole. */
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

/** Returns the entries of an item. */
function listEntries(item: DrawnItem): readonly DrawnEntry[] {
  return item.kind === "entry" ? [item.entry] : item.kind === "collapsed" ? item.entries : [];
}

function shortened(items: readonly DrawnItem[], limit: number): DrawnItem[] {
  if (items.length <= limit + MIN_RUN) return [...items];
  const head = Math.ceil((limit * 2) / 3);
  const tail = Math.max(1, limit - head - 1);
  const omitted = items.slice(head, items.length - tail).flatMap(listEntries);
  return [
    ...items.slice(0, head),
    { kind: "omitted", contents: countContents(omitted) },
    ...items.slice(items.length - tail),
  ];
}
