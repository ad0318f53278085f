import { formatMinute } from "../../base/time.ts";
import { fitted, printable } from "../../doctor/printable.ts";
import type { GraphLine, HistoryNode } from "../../timetravel/index.ts";
import { type Marks, markWords } from "../../timetravel/view/marks.ts";

/** What is written beside a drawn history. */
export interface Beside {
  readonly columns: number;
  /** The id of an entry as it is shown. */
  readonly short: (id: string) => string;
  readonly marks: ReadonlyMap<string, Marks>;
  /** The words of a node, where words are shown. */
  readonly toWords?: (node: HistoryNode) => string;
}

/** Characters of a name that are looked at; the line is cut at the terminal's width anyway. */
const WORDS = 300;
/** Characters of first words, which stand before the marks and leave room for them. */
const WORDS_SHOWN = 40;

/** Returns the lines of a drawn history, each at most as wide as the terminal. */
export function drawn(lines: readonly GraphLine[], beside: Beside): string[] {
  return lines.map((line) => fitted(drawLine(line, beside), beside.columns).trimEnd());
}

/**
 * Returns a line of the graph: a node with its sign, short id, role, time, marks and words, or what the line stands for
 * instead: the root, a join, or several entries.
 */
function drawLine({ rail, node, passed, folded, isHead, isTip, isRoot }: GraphLine, beside: Beside): string {
  const here = isHead ? ["<- continues here"] : [];
  if (isRoot) return [`${rail}${isHead ? HEAD : ENTRY} the beginning`, ...here].join("  ");
  if (!node) {
    if (passed === 0) return rail;
    const entries = `${passed} ${passed === 1 ? "entry" : "entries"}`;
    return `${rail}⋮ ${folded === 0 ? entries : `${folded} more ${folded === 1 ? "branch" : "branches"}, ${entries}`}`;
  }
  const marks = beside.marks.get(node.id);
  const sign = isHead ? HEAD : isTip ? TIP : (marks?.arrivals.length ?? 0) > 0 ? ARRIVAL : ENTRY;
  const words = beside.toWords?.(node).trim() ?? "";
  return [
    `${rail}${sign} ${printable(beside.short(node.id), WORDS)} ${ROLES[node.role]} ` +
      `${formatMinute(node.entry.timestamp)}`,
    ...here,
    ...(words === "" ? [] : [`“${printable(words, WORDS_SHOWN)}”`]),
    ...(marks ? markWords(marks, beside.short).map((mark) => printable(mark, WORDS)) : []),
    ...(isTip && !marks?.departures.length ? ["(left)"] : []),
  ].join("  ");
}

const [HEAD, TIP, ARRIVAL, ENTRY] = ["◆", "○", "◇", "●"];
/** One width for all, so that times stand below each other. */
const ROLES = { user: "user     ", assistant: "assistant", toolResult: "result   ", note: "note     " } as const;

/** What the signs mean. */
export const LEGEND = [
  "youngest first, times in UTC; ◆ the present end, ◇ where a move arrived,",
  "○ the end of a branch that was left, ├─╯ where it was left",
];
