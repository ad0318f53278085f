/** Finds every patch point in a chunk by parsing. A place that does not fit is a finding too. */
import { lineAt } from "../base/text.ts";
import { parseModule } from "../source/ast.ts";
import type { ChunkText } from "./chunks.ts";
import { guardImport } from "../base/guard-file.ts";
import { type Chunk, type Insertion, Mismatch } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";
import { parseAround } from "../source/parse-around.ts";
import { PATCH_POINTS } from "../points/index.ts";

/** One place of a patch point, or the reason why it does not fit. */
export interface Finding {
  readonly point: PatchPoint;
  readonly file: string;
  readonly line: number;
  /** The source file in the bundler's `//#region` comment at that place. */
  readonly region?: string;
  /** Undefined when the place does not fit. */
  readonly insertion?: Insertion;
  readonly mismatch?: string;
}

/** Finds all patch points in a chunk. */
export function locate({ file, text }: ChunkText, release: string): readonly Finding[] {
  const candidates = PATCH_POINTS.filter(({ needles }) => needles.some((needle) => text.includes(needle)));
  if (candidates.length === 0) return [];
  const chunk = { file, source: text, release, guardImport: guardImport(file) };
  const part = parseAround(
    text,
    candidates.flatMap(({ needles }) => needles),
  );
  const findings = part === undefined ? [] : candidates.flatMap((point) => find({ ...chunk, tree: part }, point));
  // A point may need a name from anywhere in the chunk, so a mismatch counts only after the whole was parsed.
  if (part !== undefined && findings.every(({ mismatch }) => mismatch === undefined)) return findings;
  try {
    const tree = parseModule(text);
    return candidates.flatMap((point) => find({ ...chunk, tree }, point));
  } catch (error) {
    const mismatch = `no module that can be parsed: ${error instanceof Error ? error.message : String(error)}`;
    return candidates.map((point) => ({ point, file, line: lineOfError(error), mismatch }));
  }
}

/** The line that acorn names in a SyntaxError. */
export function lineOfError(error: unknown): number {
  const { loc } = error as { readonly loc?: { readonly line?: number } };
  return loc?.line ?? 1;
}

/** Finds one patch point in a chunk that was parsed before. */
export function find(chunk: Chunk, point: PatchPoint): readonly Finding[] {
  try {
    return point
      .locate(chunk)
      .map((insertion) => ({ point, insertion, ...describePlace(chunk, insertion.statement.start) }));
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    return [{ point, mismatch: error.message, ...describePlace(chunk, error.offset) }];
  }
}

function describePlace(
  { file, source }: Chunk,
  offset: number,
): { readonly file: string; readonly line: number; readonly region?: string } {
  const line = lineAt(source, offset);
  const region = /^\/\/#region (.*)$/m.exec(source.slice(Math.max(0, source.lastIndexOf("//#region ", offset))))?.[1];
  return region === undefined || source.lastIndexOf("//#region ", offset) < 0 ? { file, line } : { file, line, region };
}
