import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { startOpenClaw, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { patience } from "../../harness/patience.ts";
import { isPicture, objectsIn } from "../../harness/played/read-body.ts";
import { isObject } from "../../harness/providers/json.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { REPORTS } from "../../harness/reports/index.ts";
import type { Release } from "../../src/patching/index.ts";

describe.each(BASE_RELEASES)("OpenClaw %s, patched", (release) => {
  let provider: StrictProvider;
  let openclaw: OpenClawDriver;
  beforeAll(async () => {
    const { patched } = await ensurePatched(release as Release);
    provider = await startProvider();
    openclaw = await startOpenClaw({ root: join(patched, "../.."), release, providerUrl: provider.url });
  }, patience(180_000));
  afterAll(async () => {
    await openclaw?.close();
    await provider?.close();
  });

  // OpenClaw 2026.9 keeps to itself what a provider says of a picture's data, so that all of them are left out there.
  it.each([
    [
      "wide-in-a-turn",
      "24, some wider than they may be where there are more than 20",
      release === "2026.2.3" ? 20 : 0,
      24,
    ],
    ["many-in-a-turn", "101 where 100 may be", 100, 101],
  ] as const)(
    "sends as many pictures as a provider takes, and all of them elsewhere: %s, %s",
    async (id, _what, taken, all) => {
      const played = REPORTS.find((one) => one.id === id)!;
      const run = await openclaw.run({ ...played.session, messages: [] });
      const sent: number[] = [];
      for (const { message, answer, front, provider: other } of played.turns.slice(0, 3)) {
        provider.reset();
        provider.front(front);
        provider.script({ kind: "text", text: answer, times: Infinity });
        const { text } = await run.send(message, other === undefined ? undefined : { provider: other });
        expect(text).toContain(answer);
        const accepted = provider.requests.findLast(({ status }) => status === 200);
        sent.push(isObject(accepted?.body) ? picturesIn(accepted.body) : 0);
      }
      expect(sent).toEqual([taken, all, taken]);
    },
    patience(120_000),
  );
});

function picturesIn(body: Record<string, unknown>): number {
  return objectsIn(body).filter(({ value }) => isPicture(value)).length;
}
