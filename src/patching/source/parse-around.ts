/**
 * Parses only what matters of a chunk: its imports and the top-level statements that contain a needle. The rest is
 * blanked out, so that every offset is the one in the chunk. A chunk has up to three million characters, a statement
 * some thousands.
 */
import { type Node, offsetsOf, parseModule } from "./ast.ts";

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The module with everything else blanked out; undefined when it cannot be cut that way (a line at the left margin that
 * begins no statement, say), and the whole has to be parsed.
 */
export function parseAround(source: string, needles: readonly string[]): Node | undefined {
  const offsets = needles.flatMap((needle) => offsetsOf(source, needle));
  const ranges = [...importsOf(source), ...offsets.map((offset) => statementAround(source, offset))];
  try {
    return parseModule(blankedExcept(source, ranges));
  } catch {
    return undefined;
  }
}

function importsOf(source: string): readonly Range[] {
  const ranges: Range[] = [];
  let end = 0;
  for (const { index: start } of source.matchAll(/^import\s/gm)) {
    if (start < (ranges.at(-1)?.end ?? 0)) continue;
    // The next semicolon is that of many lines: it is looked for once.
    if (end <= start) end = source.indexOf(";", start) + 1;
    if (end === 0) break;
    if (/^(?:[\n\r\u2028\u2029]|$)/.test(source.charAt(end))) ranges.push({ start, end });
  }
  return ranges;
}

/** From the last line at the left margin that can begin a statement to the next one that ends it. */
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
