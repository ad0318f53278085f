/**
 * Everything we put into a chunk of OpenClaw is a whole line that ends in a mark. So the original is the patched text
 * without the marked lines, and its hash, which the first marked line carries, proves it: no backup copy is needed.
 * (OpenClaw's two lists of dist are JSON and have no marks: write/inventory.ts.)
 */
import { sha256 } from "./hash.ts";

/** Beginning of the mark that ends each inserted line. */
export const MARK = "/* openclaw-integrity:";
// Git or an editor may have given the line the end that Windows uses.
const MARKED_LINE = /\/\* openclaw-integrity:([a-z0-9-]+)(?: (\{.*\}))? \*\/\r?$/;
const HEADER = "header";

/** Content of the header line of a patched file. */
export interface Header {
  readonly patchSet: string;
  readonly release: string;
  /** SHA-256 of the file as OpenClaw published it, or as the fork has it. */
  readonly original: string;
  /** The OpenClaw is a fork or a build of somebody's own, which was patched as it is because that was asked for. */
  readonly fork?: true;
  /** OpenClaw's list of contents had another digest of the file before the patch, and keeps that one. */
  readonly unlisted?: true;
}

/** Ends an inserted statement with the mark of its patch point. */
export function markLine(pointId: string, statement: string): string {
  return `${statement} ${MARK}${pointId} */`;
}

/** The header line, itself a marked line. */
export function headerLine(header: Header): string {
  return `${MARK}${HEADER} ${JSON.stringify(header)} */`;
}

/** Whether a text contains a mark; cheap, to choose the files that are examined. */
export function isMarked(text: string): boolean {
  return text.includes(MARK);
}

/** The patch point in the mark that ends a line, `header` for the header line; undefined for a line without a mark. */
export function readMark(line: string): string | undefined {
  return line.includes(MARK) ? MARKED_LINE.exec(line)?.[1] : undefined;
}

/** A patched text split into the original, the inserted lines and the header's data. */
export interface Unmarked {
  readonly original: string;
  readonly inserted: readonly { readonly point: string; readonly line: string }[];
  readonly header: Header | undefined;
  /** Whether the original has the hash in the header. */
  readonly proven: boolean;
}

/** Removes the marked lines. */
export function unmark(text: string): Unmarked {
  const kept: string[] = [];
  const inserted: { point: string; line: string }[] = [];
  let header: Header | undefined;
  for (const line of text.split("\n")) {
    const match = line.includes(MARK) ? MARKED_LINE.exec(line) : null;
    if (match === null) kept.push(line);
    else if (match[1] === HEADER) header = parseHeader(match[2]);
    else inserted.push({ point: match[1] ?? "", line });
  }
  const original = kept.join("\n");
  return { original, inserted, header, proven: header !== undefined && sha256(original) === header.original };
}

function parseHeader(json: string | undefined): Header | undefined {
  try {
    const value: unknown = JSON.parse(json ?? "");
    if (typeof value !== "object" || value === null) return undefined;
    const { patchSet, release, original, fork, unlisted } = value as Record<string, unknown>;
    if (typeof patchSet !== "string" || typeof release !== "string" || typeof original !== "string") return undefined;
    return { patchSet, release, original, ...(fork === true && { fork }), ...(unlisted === true && { unlisted }) };
  } catch {
    return undefined;
  }
}
