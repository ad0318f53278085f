import { columns } from "../../base/terminal.ts";
import { TOOL_PREFIX } from "../../continuity-tools/project-name.ts";
import { readArrival, drawGraph, toShortIds, textOfNode } from "../../timetravel/index.ts";
import { collectLabels, withoutAutomatic } from "../../timetravel/view/marks.ts";
import { drawn, LEGEND } from "./drawing.ts";
import { COLUMNS, withTimeline, type TimelineOptions } from "./place.ts";

/** Number of lines that are drawn unless another is asked for. */
export const LINES_SHOWN = 60;

/** Options of the drawing. */
export interface GraphOptions extends TimelineOptions {
  readonly limit?: number;
  readonly all?: boolean;
}

/** `openclaw-integrity timeline graph <session>` */
export async function graphTimeline(which: string, options: GraphOptions): Promise<void> {
  await withTimeline(which, options, "look", (stored) => {
    const { history } = stored;
    const isWhole = options.all === true;
    const marks = collectLabels(isWhole ? stored : withoutAutomatic(stored), TOOL_PREFIX);
    const lines = drawGraph(history, {
      marked: new Set(marks.keys()),
      ...(isWhole && { branches: Infinity, depth: Infinity }),
    });
    const shown = isWhole ? lines : lines.slice(0, options.limit ?? LINES_SHOWN);
    const ids = toShortIds(history);
    const left = lines.slice(shown.length).reduce((sum, { node, passed }) => sum + (node ? 1 : passed), 0);
    return {
      data: {
        head: history.headId,
        more: left,
        lines: shown.map(({ node, ...line }) => ({
          ...line,
          ...(node && { id: node.id, short: ids.shorten(node.id), role: node.role, ...marks.get(node.id) }),
        })),
      },
      lines: [
        ...(lines.length === 0 ? ["this session is empty"] : LEGEND),
        ...drawn(shown, {
          columns: columns() ?? COLUMNS,
          short: (id) => ids.shorten(id),
          marks,
          // A carryover's own words are the same for all of them.
          ...(options.content === true && { toWords: (node) => readArrival(node.entry)?.note ?? textOfNode(node) }),
        }),
        ...(left > 0 ? [`and ${left} older ${left === 1 ? "entry" : "entries"}: --limit <n>, or --all`] : []),
      ],
    };
  });
}
