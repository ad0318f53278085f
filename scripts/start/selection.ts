import type { CorpusCase, ModelApi } from "../../harness/corpus/case.ts";
import { isRelease, type Release } from "../../src/patching/base/releases.ts";
import { makeJob, type Job } from "./jobs.ts";

/** A case that stands for its class. */
interface Chosen {
  id: string;
  api: ModelApi;
  /** What happened, in words that need no knowledge of the project; one line of the tour. */
  words: string;
}

/**
 * One case of each class of the corpus, each one that at least one unpatched base release fails on: what a person sees
 * in a minute. It is no sample; how often OpenClaw fails is counted over the whole corpus.
 */
const CHOSEN: readonly Chosen[] = [
  { id: "q-incident-message-302", api: "anthropic-messages", words: "A filter cuts an answer off inside a call" },
  { id: "a-first-message-is-a-result", api: "anthropic-messages", words: "History limit: a result without its call" },
  { id: "b-kept-result-without-call", api: "openai-completions", words: "Compaction drops a call, keeps its result" },
  { id: "c-adapter-skips-turn-keeps-result", api: "anthropic-messages", words: "A failed call goes, its result stays" },
  {
    id: "d-real-results-after-invented-ones",
    api: "anthropic-messages",
    words: "Crash: one call gets several results",
  },
  { id: "e-result-before-its-call", api: "openai-completions", words: "A result is stored before its call" },
  { id: "f-ids-restart-every-turn", api: "openai-responses", words: "The ids of calls start again in each turn" },
  { id: "g-kimi-ids-everywhere", api: "anthropic-messages", words: "Ids that another provider has made" },
  { id: "h-assistant-content-is-no-list", api: "anthropic-messages", words: "An answer stored in another form" },
  {
    id: "i-first-user-message-of-unknown-blocks",
    api: "openai-completions",
    words: "The first message is in no known form",
  },
  { id: "j-reasoning-without-follower", api: "openai-responses", words: "Reasoning without what it led to" },
  { id: "k-image-without-data", api: "anthropic-messages", words: "An image without its data" },
  { id: "l-header-cut-short", api: "anthropic-messages", words: "The first line of the file is cut short" },
  { id: "p-call-spelt-tool-use-camel", api: "anthropic-messages", words: "Calls in the form of another program" },
  { id: "r-store13-0302", api: "openai-completions", words: "As stored by a real installation" },
  { id: "x-a-hard-week", api: "anthropic-messages", words: "Several of these in one session" },
];

/** The case that is shown in full for a release, and what it is about. */
export const HEADLINES: Readonly<Record<Release, { id: string; story: string }>> = {
  "2026.2.3": {
    id: "q-incident-message-302",
    story:
      "5 February 2026: a content filter cut off an answer inside a tool call. The result stayed in the session without " +
      "its call, and the agent did not answer for seven hours.",
  },
  "2026.9.6": {
    id: "f-ids-restart-every-turn",
    story:
      "The ids of tool calls are counted anew in each turn: exec_0, and then exec_0 again. Every " +
      "request that has both is refused.",
  },
};

/** What a case of the tour is about; undefined for a case that is not in it. */
export function findWords(id: string): string | undefined {
  return CHOSEN.find((one) => one.id === id)?.words;
}

/** The runs of the tour, the headline of the release first; a case whose API is not offered is left out. */
export function tourJobs(corpus: readonly CorpusCase[], release: string, available: readonly ModelApi[]): Job[] {
  const first = isRelease(release) ? HEADLINES[release].id : undefined;
  const jobs = CHOSEN.filter(({ api }) => available.includes(api)).map(({ id, api }) => {
    const found = corpus.find((one) => one.id === id);
    if (!found) throw new Error(`The corpus has no case ${id}`);
    return makeJob(found, api);
  });
  return [...jobs.filter(({ id }) => id === first), ...jobs.filter(({ id }) => id !== first)];
}
