import { describe } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { compaction } from "./compaction-cases.ts";
import { contentFilter, contentFilterOnWords, FILTER_SAMPLE, WHOLE_FILTER } from "./content-filter-cases.ts";
import { interrupted } from "./interrupted-cases.ts";
import { refusedHistory, WHOLE_HISTORY } from "./refused-history-cases.ts";
import { shareLive } from "./shared-live.ts";
import { tooLarge, tooManyPictures } from "./too-large-cases.ts";

// A turn costs 2026.9.6 five times as much; the rest of its cases: refusals.heavy.test.ts.
describe.each(BASE_RELEASES)("OpenClaw %s, patched, without a search behind a turn", (release) => {
  const isLater = release === "2026.9.6";

  const live = shareLive(release, { OPENCLAW_INTEGRITY_SEARCH: "off" });
  contentFilter(live, release, isLater ? FILTER_SAMPLE : WHOLE_FILTER);
  refusedHistory(live, release, isLater ? { rules: 2, refusals: 1, forged: 0 } : WHOLE_HISTORY);
});

describe("OpenClaw 2026.2.3, patched, whose provider refuses sizes alone", () => {
  const live = shareLive("2026.2.3", { OPENCLAW_INTEGRITY_SEARCH: "off" });
  tooManyPictures(live, "2026.2.3");
  compaction(live);
  tooLarge(live, 1);
  interrupted(live, "2026.2.3");
});

describe("OpenClaw 2026.2.3, patched, with a search behind a turn", () => {
  contentFilterOnWords(shareLive("2026.2.3"));
});
