import { afterAll, beforeAll, describe } from "vitest";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { shownQuestion } from "./shown-question-cases.ts";

// The patched one: rows.slow.test.ts.
describe("OpenClaw 2026.9.6 without the patch", () => {
  const live = {} as Live;
  beforeAll(async () => void Object.assign(live, await startLive("2026.9.6", "stock")));
  afterAll(() => live.close());
  shownQuestion(live);
});
