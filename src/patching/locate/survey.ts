/**
 * Reads an installation for patching: its chunks with patch points, their published text, and what was found in them.
 */
import { chunksWith, type ChunkText } from "./chunks.ts";
import type { Installation } from "../find/installation.ts";
import { locate } from "./locate.ts";
import { isMarked, unmark } from "../base/marks.ts";
import { NEEDLES } from "../points/index.ts";
import { type Verdict, judge } from "./verdict.ts";

/** A chunk on disk, with its text without inserted lines. */
export interface SurveyedChunk extends ChunkText {
  readonly original: string;
}

/** The chunks of an installation and the verdict on each patch point. */
export interface Survey {
  readonly installation: Installation;
  readonly chunks: readonly SurveyedChunk[];
  readonly verdicts: readonly Verdict[];
}

/** Reads an installation and judges every patch point in it. Refuses nothing and writes nothing. */
export function survey(installation: Installation): Survey {
  const chunks = readChunks(installation.root);
  const findings = chunks.flatMap(({ file, original }) => locate({ file, text: original }, installation.release));
  return { installation, chunks, verdicts: judge(findings, installation.known) };
}

/** Reads the chunks that can contain a patch point. */
export function readChunks(root: string): readonly SurveyedChunk[] {
  return chunksWith(root, NEEDLES).map(({ file, text }) => ({
    file,
    text,
    original: isMarked(text) ? unmark(text).original : text,
  }));
}
