import { readFileSync } from "node:fs";
import type { ModelApi } from "../corpus/case.ts";

/**
 * A request that a real provider answered on the day of its recording, by its structure: every word, name, id, argument
 * and byte of it was replaced, media by tiny ones. Fields beside the history are reduced to what can matter for it.
 */
export interface Recorded {
  api: ModelApi;
  /** 200, or 400 for a refused one. */
  status: number;
  /** The provider's words, of a refused one. */
  error?: string;
  host: string;
  model: string;
  /** How many recorded requests have this structure. */
  times: number;
  /** In whose public test cassettes they are. */
  projects: string[];
  body: Record<string, unknown>;
}

/** The APIs of which requests were recorded. */
export const RECORDED_APIS: readonly ModelApi[] = [
  "anthropic-messages",
  "bedrock-converse-stream",
  "google-generative-ai",
  "openai-completions",
  "openai-responses",
];

/** Returns the recorded requests of an API by their places in its file, counted from 0. */
export function loadRecorded(api: ModelApi): Map<number, Recorded> {
  const lines = readFileSync(new URL(`${api}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return new Map(lines.map((line, at) => [at, JSON.parse(line) as Recorded]));
}
