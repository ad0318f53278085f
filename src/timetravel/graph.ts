import type { History, HistoryNode } from "./history.ts";

/** A line of a drawn history. */
export interface GraphLine {
  /** Drawn before the text; its depth shows the branch. */
  readonly rail: string;
  /** The node of the line; undefined on a line that stands for several omitted nodes. */
  readonly node?: HistoryNode;
  /** How many nodes the line stands for, when it has no node. */
  readonly passed: number;
  /** Whether the conversation continues after this node. */
  readonly isHead: boolean;
  /** Whether the node is the end of an abandoned branch. */
  readonly isTip: boolean;
}

interface Branch {
  readonly first: HistoryNode;
  readonly depth: number;
}

/**
 * Draws the tree of a session as lines, oldest first: the present path on the first rail, and after each fork its
 * abandoned branches, one rail further in. User messages, first and last nodes of branches, forks and `marked` nodes
 * have lines of their own; the nodes between them are counted.
 */
export function graphOf(history: History, marked: ReadonlySet<string> = new Set()): GraphLine[] {
  const onPath = new Set(history.path().map(({ id }) => id));
  const lines: GraphLine[] = [];
  // A stack: the branch pushed last is drawn next.
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
        // The abandoned branches are drawn before the rest of this one.
        open.push({ first: next, depth });
        for (const first of left.toReversed()) open.push({ first, depth: depth + 1 });
        break;
      }
      node = next;
    }
  }
  return lines;
}

/** How many rails are drawn, as many as fit on a screen; a line further in states its depth. */
const MAX_RAILS = 20;

function railOf(depth: number): string {
  return depth <= MAX_RAILS ? "│ ".repeat(depth) : `${"│ ".repeat(MAX_RAILS)}(${depth - MAX_RAILS} further in) `;
}
