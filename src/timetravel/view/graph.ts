/** Draws the tree of a session for a terminal, as `git log --graph` does. */
import type { History, HistoryNode } from "../history.ts";

/** A line of a drawn history. */
export interface GraphLine {
  /** Drawn before the text: the branches that go on beside it; on the line of a fork also where they join. */
  readonly rail: string;
  /** The node of the line; undefined on a line that joins branches or stands for several omitted nodes. */
  readonly node?: HistoryNode;
  /** How many nodes the line stands for, when it has no node. */
  readonly passed: number;
  /** How many branches that were left the line stands for. */
  readonly folded: number;
  /** Whether the conversation continues after this node. */
  readonly isHead: boolean;
  /** Whether the node is the end of an abandoned branch. */
  readonly isTip: boolean;
  /** Whether the line is the place before the first message. */
  readonly isRoot: boolean;
}

/** How a history is drawn. */
export interface GraphOptions {
  /** Ids of nodes that have lines of their own. */
  readonly marked?: ReadonlySet<string>;
  /** How many branches that were left at one place are drawn, the youngest ones; the others are counted. */
  readonly branches?: number;
  /** How many branches within branches are drawn; those further in are counted. */
  readonly depth?: number;
}

/** What is still to be drawn, the last one first. */
type Open = { readonly first: HistoryNode; readonly depth: number } | { readonly line: GraphLine };

const NOTHING = { passed: 0, folded: 0, isHead: false, isTip: false, isRoot: false } as const;
const PLACES = { branches: 3, depth: 3 } as const;

/**
 * Draws the tree of a session as `git log --graph` does: the youngest first, the present path on the first rail, and
 * the branches that were left at a place above that place, one rail further in. User messages, first and last nodes of
 * branches, forks and marked nodes have lines of their own; the nodes between them, and branches beyond the limits, are
 * counted: each node is on exactly one line or counted on one.
 */
export function drawGraph(history: History, options: GraphOptions = {}): GraphLine[] {
  const { marked = new Set<string>(), branches = PLACES.branches, depth: deepest = PLACES.depth } = options;
  const onPath = new Set(history.path().map(({ id }) => id));
  const sizes = countNodes(history);
  const lines: GraphLine[] = [];
  const open: Open[] = [];
  const pickNext = (children: readonly HistoryNode[]): HistoryNode | undefined =>
    children.find(({ id }) => onPath.has(id)) ?? children.at(-1);
  /** The branches that were left at a place, to be drawn before that place. */
  const openLeft = (left: readonly HistoryNode[], depth: number): void => {
    if (left.length === 0) return;
    const drawn = depth >= deepest ? [] : left.slice(-branches);
    const folded = left.slice(0, left.length - drawn.length);
    // Pushed in the order of their time: what is pushed last is drawn first.
    if (folded.length > 0) {
      open.push({ line: { ...NOTHING, rail: drawJoin(depth) } });
      const passed = folded.reduce((sum, { id }) => sum + (sizes.get(id) ?? 1), 0);
      open.push({ line: { ...NOTHING, rail: drawRail(depth + 1), passed, folded: folded.length } });
    }
    for (const first of drawn) open.push({ line: { ...NOTHING, rail: drawJoin(depth) } }, { first, depth: depth + 1 });
  };
  const openChain = (first: HistoryNode, depth: number): void => {
    const rail = drawRail(depth);
    let passed = 0;
    for (let node: HistoryNode | undefined = first; node;) {
      const children = history.children(node.id);
      const next: HistoryNode | undefined = pickNext(children);
      const isHead = node.id === history.headId;
      const isPlain =
        node !== first && !isHead && children.length === 1 && node.role !== "user" && !marked.has(node.id);
      if (isPlain) passed += 1;
      else {
        if (passed > 0) open.push({ line: { ...NOTHING, rail, passed } });
        passed = 0;
        open.push({ line: { ...NOTHING, rail, node, isHead, isTip: next === undefined && !isHead } });
        openLeft(
          children.filter((child) => child !== next),
          depth,
        );
      }
      // Behind the head the path does not go on: what is there was left.
      if (isHead && next) {
        openLeft([next], depth);
        return;
      }
      node = next;
    }
  };
  const roots = history.children(null);
  const isEmptyPath = history.headId === null;
  const trunk = isEmptyPath ? undefined : pickNext(roots);
  if (roots.length > 1 || (isEmptyPath && roots.length > 0)) {
    open.push({ line: { ...NOTHING, rail: "", isRoot: true, isHead: isEmptyPath } });
    openLeft(
      roots.filter((root) => root !== trunk),
      0,
    );
  }
  if (trunk) open.push({ first: trunk, depth: 0 });
  for (let one = open.pop(); one; one = open.pop()) {
    if ("line" in one) lines.push(one.line);
    else if ("first" in one) openChain(one.first, one.depth);
  }
  return lines;
}

/** How many nodes each node and its branches are. */
function countNodes(history: History): ReadonlyMap<string, number> {
  const inOrder: HistoryNode[] = [];
  const open = [...history.children(null)];
  for (let node = open.pop(); node; node = open.pop()) {
    inOrder.push(node);
    for (const child of history.children(node.id)) open.push(child);
  }
  const sizes = new Map<string, number>();
  for (const { id, parentId } of inOrder.toReversed()) {
    const size = (sizes.get(id) ?? 0) + 1;
    sizes.set(id, size);
    if (parentId !== null) sizes.set(parentId, (sizes.get(parentId) ?? 0) + size);
  }
  return sizes;
}

function drawRail(depth: number): string {
  return "│ ".repeat(depth);
}

/** Where the branches one rail further in join. */
function drawJoin(depth: number): string {
  return `${drawRail(depth)}├─╯`;
}
