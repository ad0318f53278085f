import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePatched } from "../harness/openclaw/ensure-release.ts";
import type { Release } from "../src/patching/index.ts";
import { transcriptPath } from "../harness/corpus/case.ts";
import { startOpenClaw, type OpenClawDriver } from "../harness/openclaw/index.ts";
import { BASE_RELEASES } from "../harness/openclaw/releases.ts";
import { startFront, type Front } from "./front.ts";
import { startProvider, type StrictProvider } from "../harness/providers/index.ts";

/** Corrupt histories whose damage lies where a summariser would find it. */
const CASES = ["q-incident-message-32", "x-long-session-many-wounds"];

/** The transcript with so much said in every text that there is something to summarise. */
function wordy(transcript: string): string {
  return transcript.replaceAll(
    /"text":"([^"\\]{3,})"/g,
    (_all, text: string) => `"text":"${text}${" and so on".repeat(300)}"`,
  );
}

describe.each(BASE_RELEASES)("compaction on OpenClaw %s", (release) => {
  /** Finds the next request too long, so that OpenClaw compacts. */
  const overflowing = { next: false, refused: 0 };
  let front: Front;
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;
  const lines: string[] = [];

  beforeAll(async () => {
    const { patched } = await ensurePatched(release as Release);
    provider = await startProvider();
    front = await startFront(provider.url, () => {
      if (!overflowing.next) return undefined;
      overflowing.next = false;
      overflowing.refused++;
      return {
        status: 400,
        type: "invalid_request_error",
        message: "prompt is too long: 214000 tokens > 200000 maximum",
      };
    });
    openclaw = await startOpenClaw({
      root: join(patched, "../.."),
      release,
      providerUrl: front.url,
      log: (line) => lines.push(line),
      turnTimeoutMs: 60_000,
    });
  });
  afterAll(async () => {
    await openclaw.close();
    await front.close();
    await provider.close();
  });

  it.each(CASES)(
    "a corrupt session that has become too long is summarised, and no request of it refused: %s",
    async (id) => {
      provider.reset();
      overflowing.next = true;
      overflowing.refused = 0;
      const { turns } = await openclaw.run({
        transcript: wordy(readFileSync(transcriptPath(id), "utf8")),
        api: "anthropic-messages",
        messages: ["one more", "and another"],
      });
      // Whether the turn itself is answered depends on OpenClaw's liking for the summary, which here says only "ok 1".
      expect(turns[1]).toMatchObject({ answered: true });
      expect(overflowing.refused).toBe(1);
      // The summariser's requests and the turns' own.
      expect(provider.requests.length).toBeGreaterThanOrEqual(3);
      expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([]);
    },
  );
});
