import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The model APIs that the project covers, under OpenClaw's own names. */
export type ModelApi =
  | "anthropic-messages"
  | "openai-completions"
  | "openai-responses"
  | "google-generative-ai"
  | "bedrock-converse-stream";

/** What is written down about a transcript reconstructed from a report; its messages are in `<id>.jsonl` beside it. */
export interface CorpusCase {
  /** File name without ending, kebab-case. */
  id: string;
  /** One line on what is wrong with the transcript, for a person. */
  title: string;
  /** Where it was reported, e.g. `openclaw#4650`; `measured` when only our own measurements know it, `captured` for the session of a real installation. */
  report: string;
  /** The day of the report or measurement, ISO date. */
  reported: string;
  /** The APIs that the case concerns. */
  apis: ModelApi[];
  /** What the provider (or OpenClaw itself) answered in the report. */
  error: string;
  /** `answered`: the patched OpenClaw answers both messages. There is no other acceptable outcome. */
  expected: "answered";
  /** Strings of real content in the transcript that must be in the request that the provider gets. */
  mustReach: string[];
  /** Strings that must not be in it (text that OpenClaw or a repair invented, content of a cut part). */
  mustNotReach?: string[];
  /** OpenClaw's `dmHistoryLimit` (in user turns) for the session, when the case needs the history cut. */
  historyLimit?: number;
  /** Model id to use instead of the default one, when the case depends on it (`mistral-large`, `kimi-k2.5`). */
  model?: string;
}

/** One folder for each class of faults, named by its letter, with which the ids of its cases begin. */
const TRANSCRIPTS = fileURLToPath(new URL("transcripts/", import.meta.url));

/** All cases, sorted by id. */
export function loadCorpus(): CorpusCase[] {
  return outputsOnDisk()
    .filter((name) => name.endsWith(".case.json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(outputPath(name), "utf8")) as CorpusCase);
}

/** Path of a case's transcript, as OpenClaw stores it (JSONL). */
export function transcriptPath(id: string): string {
  return outputPath(`${id}.jsonl`);
}

/** Path of a file that belongs to a case, by its name. */
export function outputPath(name: string): string {
  return `${TRANSCRIPTS}${name[0]}/${name}`;
}

/** True for the files of cases that were captured (capture.ts) and not built. */
export function isCaptured(name: string): boolean {
  return name.startsWith("r-");
}

/** The names of all files of cases. */
export function outputsOnDisk(): string[] {
  return readdirSync(TRANSCRIPTS).flatMap((letter) => readdirSync(TRANSCRIPTS + letter));
}
