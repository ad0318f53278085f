import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { loadCorpus, type ModelApi } from "../../harness/corpus/case.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { makeJobs } from "./jobs.ts";
import { isGood } from "./judge.ts";
import { Lane } from "./lane.ts";

/** What each release's adapters can be driven with; `npm start` says why one is not there. */
const AVAILABLE: Record<string, ModelApi[]> = {
  "2026.2.3": [
    "anthropic-messages",
    "openai-completions",
    "openai-responses",
    "google-generative-ai",
    "bedrock-converse-stream",
  ],
  "2026.9.6": ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"],
};

/**
 * A twelfth of the cases, and a 36th on the release that takes four times as long, each on one of its APIs; with
 * CORPUS=all every one on all of them, as `npm start -- --all --release all` does.
 */
const ALL = process.env.CORPUS === "all";
const PART: Record<string, number> = { "2026.2.3": 12, "2026.9.6": 36 };

describe.each(BASE_RELEASES)("the patched OpenClaw %s answers both messages and loses nothing", (release) => {
  const jobs = makeJobs(loadCorpus(), { available: AVAILABLE[release]!, all: ALL });
  const turn = BASE_RELEASES.indexOf(release);
  const part = PART[release]!;
  let lane: Lane;
  const signal = new AbortController().signal;

  beforeAll(async () => {
    const { patched } = await ensurePatched(release as Release);
    lane = await Lane.start({ variant: "patched", release, root: join(patched, "../.."), env: {} });
  });
  afterAll(() => lane.close());

  it.each(jobs.filter(({ id }, at) => ALL || id.startsWith("q-") || at % part === turn))(
    "$id ($report) on $api",
    async (job) => {
      const record = await lane.run(job, signal);
      expect(record.verdict).toEqual({ answered: "both", lost: [], unwanted: [] });
      expect(isGood(record.verdict)).toBe(true);
      expect(record.failures).toEqual([]);
      expect(record.requests.filter(({ status }) => status !== 200)).toEqual([]);
    },
  );
});
