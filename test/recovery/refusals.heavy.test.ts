import { describe } from "vitest";
import { contentFilter, contentFilterOnWords, WHOLE_FILTER } from "./content-filter-cases.ts";
import { refusedHistory, WHOLE_HISTORY } from "./refused-history-cases.ts";
import { shareLive } from "./shared-live.ts";
import { tooLarge } from "./too-large-cases.ts";

const RELEASE = "2026.9.6";

// In every form what refusals.slow.test.ts does in a few.
describe(`OpenClaw ${RELEASE}, patched, without a search behind a turn`, () => {
  const live = shareLive(RELEASE, { OPENCLAW_INTEGRITY_SEARCH: "off" });
  contentFilter(live, RELEASE, WHOLE_FILTER);
  refusedHistory(live, RELEASE, WHOLE_HISTORY);
});

describe(`OpenClaw ${RELEASE}, patched, whose provider refuses sizes alone`, () => {
  tooLarge(shareLive(RELEASE, { OPENCLAW_INTEGRITY_SEARCH: "off" }), 1);
});

describe(`OpenClaw ${RELEASE}, patched, with a search behind a turn`, () => {
  contentFilterOnWords(shareLive(RELEASE));
});
