/** Corrupt sessions that OpenClaw summarises. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import type { Live } from "../../harness/openclaw/live.ts";

/** Corrupt histories whose damage lies where a summariser would find it. */
const CASES = ["q-incident-message-32", "x-long-session-many-wounds"];

/** The transcript with so much said in every text that there is something to summarise. */
function wordy(transcript: string): string {
  return transcript.replaceAll(
    /"text":"([^"\\]{3,})"/g,
    (_all, text: string) => `"text":"${text}${" and so on".repeat(300)}"`,
  );
}

/** A session whose first request is found too long, so that OpenClaw compacts it. */
export function compaction(live: Live): void {
  it.each(CASES)(
    "a corrupt session that has become too long is summarised, and no request of it refused: %s",
    async (id) => {
      const { provider, openclaw } = live;
      let isRefused = false;
      provider.front(() => {
        if (isRefused) return undefined;
        isRefused = true;
        const message = "prompt is too long: 214000 tokens > 200000 maximum";
        return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
      });
      const { turns } = await openclaw.run({
        transcript: wordy(readFileSync(transcriptPath(id), "utf8")),
        api: "anthropic-messages",
        messages: ["one more", "and another"],
      });
      // Whether the turn itself is answered depends on OpenClaw's liking for the summary, which here says only "ok 1".
      expect(turns[1]).toMatchObject({ answered: true });
      // The one that was too long, the summariser's requests and the turns' own.
      const [first, ...others] = provider.requests.map(({ status }) => status);
      expect(first).toBe(400);
      expect(others.length).toBeGreaterThanOrEqual(3);
      expect(others.filter((status) => status !== 200)).toEqual([]);
    },
  );
}
