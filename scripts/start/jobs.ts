import { readFileSync } from "node:fs";
import { transcriptPath, type CorpusCase, type ModelApi } from "../../harness/corpus/case.ts";
import { shortTitle } from "./classes.ts";

/** A transcript to be run on one API. */
export interface Job {
  /** Id of the case, or the file's name. */
  id: string;
  title: string;
  report: string;
  api: ModelApi;
  /** Reads the transcript's JSONL text. */
  transcript: () => string;
  mustReach: readonly string[];
  mustNotReach: readonly string[];
  historyLimit?: number;
  model?: string;
  /** OpenClaw's own tools that are offered; `read` by default. */
  tools?: string[];
  /** Tools that the caller offers besides. */
  clientTools?: readonly string[];
}

/** Which cases run, and on what. */
export interface JobChoice {
  /** What the driver offers. */
  available: readonly ModelApi[];
  /** What the user wants; undefined is everything. */
  apis?: readonly ModelApi[] | undefined;
  only?: RegExp | undefined;
  all: boolean;
}

/** The incidents that the project began with are shown on every API. */
const HEADLINE = /^q-/;

/**
 * The runs of a release. Each case runs on one of its APIs, in turn over the whole corpus, so that a case keeps its API
 * whatever `only` chooses; with `all` it runs on each.
 */
export function makeJobs(corpus: readonly CorpusCase[], choice: JobChoice): Job[] {
  const { available, apis = available, only, all } = choice;
  return corpus.flatMap((one, index) => {
    if (only && !isChosen(one, only)) return [];
    const concerned = one.apis.filter((api) => available.includes(api) && apis.includes(api));
    const chosen =
      all || HEADLINE.test(one.id)
        ? concerned
        : concerned.slice(index % concerned.length, (index % concerned.length) + 1);
    return chosen.map((api) => makeJob(one, api));
  });
}

/** Whether the pattern finds the case, by its id or by the title that the table shows. */
export function isChosen({ id }: Pick<CorpusCase, "id">, only: RegExp): boolean {
  return only.test(id) || only.test(shortTitle(id));
}

/** The run of a case on an API. */
export function makeJob(one: CorpusCase, api: ModelApi): Job {
  const { id, title, report, mustReach, mustNotReach = [], historyLimit, model } = one;
  const job: Job = {
    id,
    title,
    report,
    api,
    transcript: () => readFileSync(transcriptPath(id), "utf8"),
    mustReach,
    mustNotReach,
  };
  if (historyLimit !== undefined) job.historyLimit = historyLimit;
  if (model !== undefined) job.model = model;
  return job;
}

/** The runs of a transcript of the user's own, whose content nothing is known about. */
export function ownJobs(name: string, text: string, apis: readonly ModelApi[]): Job[] {
  return apis.map((api) => ({
    id: name,
    title: name,
    report: "own",
    api,
    transcript: () => text,
    mustReach: [],
    mustNotReach: [],
  }));
}
