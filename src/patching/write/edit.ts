/** Inserts lines into a chunk's text. Only whole lines, so that unmark() can remove them again. */
import { MagicString } from "magic-string";
import { parseModule } from "../source/ast.ts";
import { type Insertion, Mismatch } from "../source/insertion.ts";
import { headerLine, isMarked, MARK, markLine, unmark, type Header } from "../base/marks.ts";
import { parseAround } from "../source/parse-around.ts";

/** Returns the patched text of a chunk. Throws a Mismatch where a line would not be on its own. */
export function insertAll(source: string, insertions: readonly Insertion[], header: Header): string {
  return insertLines(source, insertions, [headerLine(header)]);
}

/**
 * Returns the text with marked lines, below those for its top. Throws a Mismatch where a line would not be on its own.
 */
export function insertLines(source: string, insertions: readonly Insertion[], first: readonly string[] = []): string {
  const text = new MagicString(source);
  const top = [...first];
  for (const insertion of insertions) {
    const { statement, where, point } = insertion;
    const line = markLine(point, insertion.text);
    if (where === "top") {
      top.push(line);
      continue;
    }
    const indent = source.slice(source.lastIndexOf("\n", statement.start) + 1, statement.start);
    const startsLine = indent.trim() === "";
    const end = lineEnd(source, statement.start);
    const endsLine = /^\r?\n/.test(source.slice(statement.end, statement.end + 2));
    if (!startsLine || !endsLine) throw new Mismatch("a statement that shares its line with another", statement);
    if (!";}".includes(source[statement.end - 1] ?? " "))
      throw new Mismatch("a statement without a semicolon at its end", statement);
    if (where === "before") text.appendLeft(statement.start - indent.length, `${indent}${line}${end}`);
    else text.appendLeft(statement.end, `${end}${indent}${line}`);
  }
  // A hashbang must stay the first line.
  const start = source.startsWith("#!") ? source.indexOf("\n") + 1 : 0;
  if (top.length > 0) text.appendLeft(start, top.map((line) => `${line}${lineEnd(source, 0)}`).join(""));
  return text.toString();
}

/** How the line at an offset ends: a file from Windows stays one. */
function lineEnd(source: string, offset: number): string {
  return source[source.indexOf("\n", offset) - 1] === "\r" ? "\r\n" : "\n";
}

/**
 * Throws unless the patched text parses, contains every line, and gives the original without them. With `whole` all of
 * it is parsed; else only the imports and the statements with inserted lines, which is enough where the rest is known
 * to be as published.
 */
export function prove(source: string, patched: string, lines: number, whole = true): void {
  if (whole || parseAround(patched, [MARK]) === undefined) parseModule(patched);
  const { original, inserted, proven } = unmark(patched);
  if (isMarked(source) || !proven || original !== source || inserted.length !== lines) {
    throw new Error("the patched text does not lead back to the original");
  }
}
