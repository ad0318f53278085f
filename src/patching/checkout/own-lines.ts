/**
 * Our statements in a source file. They are written as whole lines; a formatter (OpenClaw's commit hook runs one) may
 * wrap them and move the import, which is still our patch, and `revert` must take out all of it.
 */
import { tokenizer } from "acorn";
import { patchError } from "../base/errors.ts";
import { MARK, readMark } from "../base/marks.ts";
import { GUARD_NAME } from "../source/insertion.ts";
import { parseTypeScript } from "./parse-typescript.ts";

/** A statement of ours. */
export interface OwnStatement {
  /** The tokens of the line, which are the same in every formatting. */
  readonly code: string;
  /** Where it stands in the text without ours. */
  readonly at: number;
  /** How many lines it has. */
  readonly lines: number;
}

/** A source text without our statements, and these. */
export interface Parted {
  readonly original: string;
  readonly own: readonly OwnStatement[];
}

/** More lines than any wrapped statement of ours has. */
const MAX_LINES = 60;
/**
 * The end of an import of the guard: where a line has two of them, a formatter leaves the mark with the last one only.
 */
const GUARD_IMPORT = /\bfrom ["'][./]+vendor\/openclaw-integrity\/guard\.mjs["'];?\r?$/;
/** A line whose statement ends in the next one, although that one is whole by itself. */
const GOES_ON = /(?:=|\bawait)\s*$/;
const OURS = new RegExp(`\\b${GUARD_NAME}(?:[A-Z]\\w*)?\\s*[.(]|\\bvendor/openclaw-integrity/guard\\.mjs\\b`);

/**
 * Takes our statements out of the text of `file`. Throws `openclaw-modified` where one is torn or has lost its mark,
 * because whatever is taken out then leaves code that does not build.
 */
export function partOurs(file: string, text: string): Parted {
  const kept: string[] = [];
  const own: OwnStatement[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    kept.push(line);
    if (readMark(line) === undefined && !GUARD_IMPORT.test(line)) continue;
    const statement = lastStatement(kept);
    if (statement === undefined) throw torn(file, index + 1, line);
    const code = normalizeCode(statement.join("\n"));
    kept.length -= statement.length;
    own.push({ code, at: kept.reduce((sum, one) => sum + one.length + 1, 0), lines: statement.length });
  }
  const parted = { original: kept.join("\n"), own };
  const unmarked = own.length === 0 ? -1 : kept.findIndex((line) => OURS.test(line));
  if (unmarked !== -1) throw torn(file, lineInFile(parted, unmarked + 1), kept[unmarked]!);
  return parted;
}

/** The line in the file of a line of the text without ours. */
export function lineInFile({ original, own }: Parted, line: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) start = original.indexOf("\n", start) + 1;
  return own.reduce((sum, { at, lines }) => sum + (at <= start ? lines : 0), line);
}

/** Whether two texts have the same statements of ours in the same places; the imports may stand in any order. */
export function isSamePatch(one: Parted, other: Parted): boolean {
  return one.original === other.original && JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));
}

function comparable({ own }: Parted): readonly unknown[] {
  const imports = own.filter(isImport).flatMap(({ code }) => code.split(/ (?=import )/));
  const otherStatements = own.filter((statement) => !isImport(statement)).map(({ code, at }) => [code, at]);
  return [imports.toSorted(), otherStatements];
}

function isImport({ code }: OwnStatement): boolean {
  return code.startsWith("import ");
}

/** The last lines that are whole statements. */
function lastStatement(lines: readonly string[]): readonly string[] | undefined {
  for (let count = 1; count <= Math.min(MAX_LINES, lines.length); count++) {
    const candidate = lines.slice(-count);
    if (GOES_ON.test(lines.at(-count - 1) ?? "") || !isWhole(candidate.join("\n"))) continue;
    // A line with the mark is ours as it is; lines above it are only by what they say.
    return count === 1 || OURS.test(candidate.join("\n")) ? candidate : undefined;
  }
  return undefined;
}

function isWhole(text: string): boolean {
  try {
    parseTypeScript(text);
    return true;
  } catch {
    return false;
  }
}

/** The tokens of a statement, without those that a formatter adds or removes. */
function normalizeCode(text: string): string {
  const tokens = [...tokenizer(text, { ecmaVersion: "latest", sourceType: "module" })].map(({ type, start, end }) =>
    // Quotes are the formatter's choice too.
    type.label === "string" ? text.slice(start + 1, end - 1) : text.slice(start, end),
  );
  return tokens
    .filter((token, at) => token !== ";" && !(token === "," && /^[)\]}]$/.test(tokens[at + 1] ?? "")))
    .join(" ");
}

function torn(file: string, line: number, found: string): Error {
  return patchError("openclaw-modified", {
    expected: `each statement of ours in ${file} whole, with ${MARK}... */ behind it`,
    found: `another one at line ${line}: ${found.trim().slice(0, 80)}`,
    todo:
      "Remove that statement and its mark by hand, or take the file from git, and run it again. " +
      "Nothing was changed.",
  });
}
