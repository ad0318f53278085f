import type { History, HistoryNode } from "./history.ts";

/** A line of a drawn history. */
export interface GraphLine {
  /** Drawn before the text: which branch it is on. */
  readonly rail: string;
  /** The node of the line; undefined where nodes are passed over. */
  readonly node?: HistoryNode;
  /** How many nodes are passed over. */
  readonly passed: number;
  /** The conversation goes on behind this node. */
  readonly isHead: boolean;
  /** The end of a branch that was left. */
  readonly isTip: boolean;
}

interface Branch {
  readonly first: HistoryNode;
  readonly depth: number;
}

/**
 * The tree of a session as lines, oldest first: the present path on the first rail, and behind each node where a branch
 * was left, that branch one rail further in. Messages of the user, beginnings, ends, forks and the nodes that are
 * `marked` are lines of their own; what lies between is counted.
 */
export function graphOf(history: History, marked: ReadonlySet<string> = new Set()): GraphLine[] {
  const onPath = new Set(history.path().map(({ id }) => id));
  const lines: GraphLine[] = [];
  // The last one that was put here is drawn next.
  const open: Branch[] = [];
  const roots = history.children(null);
  const firsts = [...roots.filter(({ id }) => onPath.has(id)), ...roots.filter(({ id }) => !onPath.has(id))];
  for (const first of firsts.toReversed()) open.push({ first, depth: 0 });
  for (let branch = open.pop(); branch; branch = open.pop()) {
    const { depth } = branch;
    const rail = railOf(depth);
    let passed = 0;
    for (let node: HistoryNode | undefined = branch.first; node;) {
      const children = history.children(node.id);
      const next: HistoryNode | undefined = children.find(({ id }) => onPath.has(id)) ?? children.at(-1);
      const isHead = node.id === history.headId;
      const isTip = next === undefined;
      if (
        node === branch.first ||
        isHead ||
        isTip ||
        children.length > 1 ||
        node.role === "user" ||
        marked.has(node.id)
      ) {
        if (passed > 0) lines.push({ rail, passed, isHead: false, isTip: false });
        lines.push({ rail, node, passed: 0, isHead, isTip: isTip && !isHead });
        passed = 0;
      } else passed += 1;
      const left: HistoryNode[] = children.filter((child) => child !== next);
      if (left.length > 0 && next) {
        // First what was left here, then the rest of this line.
        open.push({ first: next, depth });
        for (const first of left.toReversed()) open.push({ first, depth: depth + 1 });
        break;
      }
      node = next;
    }
  }
  return lines;
}

/** As many branches beside each other as fit on a screen; what is further in says how far. */
const MOST_RAILS = 20;

function railOf(depth: number): string {
  return depth <= MOST_RAILS ? "│ ".repeat(depth) : `${"│ ".repeat(MOST_RAILS)}(${depth - MOST_RAILS} further in) `;
}
