import { describe } from "vitest";
import { compaction } from "./compaction-cases.ts";
import { contentFilter, contentFilterOnWords, WHOLE_FILTER } from "./content-filter-cases.ts";
import { interrupted } from "./interrupted-cases.ts";
import { refusedHistory, WHOLE_HISTORY } from "./refused-history-cases.ts";
import { shareLive } from "./shared-live.ts";
import { tooLarge, tooManyPictures } from "./too-large-cases.ts";

const RELEASE = "2026.9.6";

// In every form what refusals.slow.test.ts does in a few.
describe(`OpenClaw ${RELEASE}, patched, without a search behind a turn`, () => {
  const live = shareLive(RELEASE, { OPENCLAW_INTEGRITY_SEARCH: "off" });
  contentFilter(live, RELEASE, WHOLE_FILTER);
  refusedHistory(live, RELEASE, WHOLE_HISTORY);
});

// In another process: behind many refusals it asks a provider no more for a while.
describe(`OpenClaw ${RELEASE}, patched, whose provider refuses sizes alone`, () => {
  const live = shareLive(RELEASE, { OPENCLAW_INTEGRITY_SEARCH: "off" });
  tooManyPictures(live, RELEASE);
  compaction(live);
  tooLarge(live, 1);
  interrupted(live, RELEASE);
});

describe(`OpenClaw ${RELEASE}, patched, with a search behind a turn`, () => {
  contentFilterOnWords(shareLive(RELEASE));
});
