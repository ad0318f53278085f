/**
 * Parses only a part of a chunk: its imports and the top-level statements that contain a needle. The rest is replaced
 * by blanks, so that offsets stay the same. A chunk has up to three million characters, a statement some thousands.
 */
import { type Node, findOffsets, parseModule } from "./ast.ts";

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The module with everything else replaced by blanks; undefined when it cannot be cut this way (for example because of
 * an unindented line inside a statement) and has to be parsed as a whole.
 */
export function parseAround(source: string, needles: readonly string[]): Node | undefined {
  const offsets = needles.flatMap((needle) => findOffsets(source, needle));
  const ranges = [...importRanges(source), ...offsets.map((offset) => statementAround(source, offset))];
  try {
    return parseModule(blankedExcept(source, ranges));
  } catch {
    return undefined;
  }
}

function importRanges(source: string): readonly Range[] {
  const ranges: Range[] = [];
  let end = 0;
  for (const { index: start } of source.matchAll(/^import\s/gm)) {
    if (start < (ranges.at(-1)?.end ?? 0)) continue;
    // Many lines can share the next semicolon, so it is searched once.
    if (end <= start) end = source.indexOf(";", start) + 1;
    if (end === 0) break;
    if (/^(?:[\n\r\u2028\u2029]|$)/.test(source.charAt(end))) ranges.push({ start, end });
  }
  return ranges;
}

/** From the last unindented line that can begin a statement to the next one that ends it. */
function statementAround(source: string, offset: number): Range {
  let start = source.lastIndexOf("\n", offset) + 1;
  while (start > 0 && !/[A-Za-z]/.test(source.charAt(start))) start = source.lastIndexOf("\n", start - 2) + 1;
  let end = source.indexOf("\n", offset);
  while (end >= 0 && /[\s})\]]/.test(source.charAt(end + 1))) {
    const next = source.indexOf("\n", end + 1);
    const closes = !/\s/.test(source.charAt(end + 1));
    end = next;
    if (closes) break;
  }
  return { start, end: end < 0 ? source.length : end };
}

function blankedExcept(source: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges.toSorted((left, right) => left.start - right.start)) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    parts.push(" ".repeat(from - at), source.slice(from, end));
    at = end;
  }
  parts.push(" ".repeat(source.length - at));
  return parts.join("");
}
