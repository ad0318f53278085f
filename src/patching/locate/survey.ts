/**
 * An installation as the engine sees it: its chunks that matter, taken back to what was published, and what is found in
 * them.
 */
import { chunksWith, type ChunkText } from "./chunks.ts";
import type { Installation } from "../find/installation.ts";
import { locate } from "./locate.ts";
import { isMarked, unmark } from "../base/marks.ts";
import { NEEDLES } from "../points/index.ts";
import { type Verdict, judge } from "./verdict.ts";

/** A chunk on disk, and its text without our lines. */
export interface SurveyedChunk extends ChunkText {
  readonly original: string;
}

/** What was found. */
export interface Survey {
  readonly installation: Installation;
  readonly chunks: readonly SurveyedChunk[];
  readonly verdicts: readonly Verdict[];
}

/** Reads an installation and judges every patch point in it. Nothing is refused here, and nothing is written. */
export function survey(installation: Installation): Survey {
  const chunks = readChunks(installation.root);
  const findings = chunks.flatMap(({ file, original }) => locate({ file, text: original }, installation.release));
  return { installation, chunks, verdicts: judge(findings, installation.known) };
}

/** The chunks that can hold a patch point. */
export function readChunks(root: string): readonly SurveyedChunk[] {
  return chunksWith(root, NEEDLES).map(({ file, text }) => ({
    file,
    text,
    original: isMarked(text) ? unmark(text).original : text,
  }));
}
