/** From a chunk's text to the lines that are to be inserted, all of them found by parsing. */
import { parseModule } from "./ast.ts";
import type { Chunk, Insertion } from "./insertion.ts";
import { locateHistory } from "./locate-history.ts";
import { locateLoad } from "./locate-load.ts";
import type { Release } from "./points.ts";

/** Parses a chunk and finds all patch points in it. */
export function locate(file: string, source: string, release: Release, guardImport: string): readonly Insertion[] {
  const chunk: Chunk = { file, source, tree: parseModule(source), release, guardImport };
  return [...locateLoad(chunk), ...locateHistory(chunk)];
}
