/**
 * Reads an installation for patching: its chunks with patch points, their published text, and what was found in them.
 */
import { chunksWith, type ChunkText } from "./chunks.ts";
import type { Installation } from "../find/installation.ts";
import { compareWith, type Fork, findOrigin } from "./fork.ts";
import { type Finding, locate } from "./locate.ts";
import { type Header, isMarked, unmark } from "../base/marks.ts";
import { NEEDLES } from "../points/index.ts";
import { type Verdict, judge } from "./verdict.ts";

/** A chunk on disk, with its text without inserted lines. */
export interface SurveyedChunk extends ChunkText {
  readonly original: string;
  /** What the first of its inserted lines says. */
  readonly header: Header | undefined;
}

/** The chunks of an installation and the verdict on each patch point. */
export interface Survey {
  readonly installation: Installation;
  readonly chunks: readonly SurveyedChunk[];
  readonly verdicts: readonly Verdict[];
  /** What differs from the published OpenClaw, where a fork is to be patched or was. */
  readonly fork?: Fork;
}

/** How an installation is judged. */
export interface SurveyOptions {
  /**
   * Takes an OpenClaw that is not as published for a fork: it is judged by its code alone, as a release that is not
   * recorded. Not needed for an OpenClaw whose inserted lines say that it is a fork.
   */
  readonly fork?: boolean | undefined;
}

/** Reads an installation and judges every patch point in it. Refuses nothing and writes nothing. */
export function survey(installation: Installation, options: SurveyOptions = {}): Survey {
  const chunks = readChunks(installation.root);
  const findings = chunks.flatMap(({ file, original }) => locate({ file, text: original }, installation.release));
  const isAccepted = options.fork === true || chunks.some(({ header }) => header?.fork === true);
  const fork = isAccepted ? findFork(installation, chunks, findings) : undefined;
  if (!fork) return { installation, chunks, verdicts: judge(findings, installation.known) };
  return { installation: { ...installation, known: undefined }, chunks, verdicts: judge(findings, undefined), fork };
}

/** What differs from the published OpenClaw; undefined for one that is as published. */
function findFork(
  { release, known }: Installation,
  chunks: readonly SurveyedChunk[],
  findings: readonly Finding[],
): Fork | undefined {
  const withPoints = new Set(findings.map(({ file }) => file));
  const seen = chunks.map(({ file, original }) => ({ file, original, hasPoint: withPoints.has(file) }));
  const fork = compareWith(known ?? findOrigin(release), seen);
  return known && fork.files.length === 0 ? undefined : fork;
}

/** Reads the chunks that can contain a patch point. */
export function readChunks(root: string): readonly SurveyedChunk[] {
  return chunksWith(root, NEEDLES).map(({ file, text }) => ({
    file,
    text,
    ...(isMarked(text) ? unmarked(text) : { original: text, header: undefined }),
  }));
}

function unmarked(text: string): Pick<SurveyedChunk, "original" | "header"> {
  const { original, header } = unmark(text);
  return { original, header };
}
