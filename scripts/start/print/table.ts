import { visible } from "../../../src/base/visible.ts";
import { plain, type Paint, type Style } from "./paint.ts";
import { cut, pad, textWidth, wrap } from "./width.ts";

/** One column. A flexible one takes a share of what the others leave, and wraps. */
export interface Column {
  title: string;
  flex?: number;
  /** Wraps what is wider than this. */
  max?: number;
}

/** What stands in one place of the table. */
export interface Cell {
  text: string;
  style?: Style;
}

/** A line of cells, a heading over the lines that follow, or a note under the line before it. */
export type Row = { cells: readonly Cell[] } | { heading: string } | { note: string };

const GAP = "  ";
const INDENT = "    ";

/**
 * The table as lines of at most `width` columns; cells that are too long go on in further lines. Nothing that others
 * wrote acts on the terminal.
 */
export function layTable(
  columns: readonly Column[],
  given: readonly Row[],
  width: number,
  paint: Paint = plain,
): string[] {
  const rows = given.map(visibleRow);
  const widths = columnWidths(columns, rows, width);
  const line = (cells: readonly Cell[]): string[] => layCells(cells, widths, paint);
  const lines = line(columns.map(({ title }) => ({ text: title, style: "dim" as const })));
  for (const row of rows) {
    if ("heading" in row) lines.push("", paint("head", cut(row.heading, width)));
    else if ("note" in row) lines.push(paint("dim", cut(INDENT + row.note, width)));
    else lines.push(...line(row.cells));
  }
  return lines;
}

function visibleRow(row: Row): Row {
  if ("heading" in row) return { heading: visible(row.heading) };
  if ("note" in row) return { note: visible(row.note) };
  return { cells: row.cells.map((cell) => ({ ...cell, text: visible(cell.text) })) };
}

/** Width of each column: what its longest cell needs, and for the flexible ones a share of the rest. */
export function columnWidths(columns: readonly Column[], rows: readonly Row[], width: number): number[] {
  const natural = columns.map(({ title, max = Infinity }, at) => {
    const cells = rows.flatMap((row) => ("cells" in row ? textWidth(row.cells[at]?.text ?? "") : 0));
    return Math.min(max, Math.max(textWidth(title), ...cells));
  });
  const widths = natural.slice();
  let left = width - GAP.length * (columns.length - 1);
  columns.forEach(({ flex }, at) => (left -= flex === undefined ? natural[at]! : 0));
  let shares = columns.reduce((sum, { flex = 0 }) => sum + flex, 0);
  columns.forEach(({ flex }, at) => {
    if (flex === undefined) return;
    // What a column does not need is left to those behind it.
    widths[at] = Math.max(8, Math.min(natural[at]!, Math.floor((left * flex) / shares)));
    left -= widths[at]!;
    shares -= flex;
  });
  return widths;
}

function layCells(cells: readonly Cell[], widths: readonly number[], paint: Paint): string[] {
  const wrapped = cells.map(({ text }, at) => wrap(text, widths[at]!));
  const height = Math.max(...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, nth) => {
    const parts = cells.map(({ style }, at) => {
      const text = wrapped[at]![nth] ?? "";
      return paint(text === "" ? undefined : style, text) + pad("", widths[at]! - textWidth(text));
    });
    return parts.join(GAP).trimEnd();
  });
}
