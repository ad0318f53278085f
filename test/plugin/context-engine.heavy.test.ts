import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";

const RELEASE = "2026.9.6";
const ROOT = join(releasesFolder(), RELEASE, "stock");
/** The first two brick the unpatched release (scripts/fuzz/control-group.slow.test.ts). */
const CASES = [
  "i-first-user-message-lost",
  "i-first-message-is-a-call",
  "a-orphan-inside-a-user-row",
  "b-kept-result-without-call",
];

describe(`the plugin's context engine in OpenClaw ${RELEASE} without the core patch, with nothing repaired in the store`, () => {
  let provider: StrictProvider;
  let gateway: Gateway;
  beforeAll(async () => {
    provider = await startProvider();
    const settings = pluginSettings(
      join(ROOT, "node_modules", "openclaw", "dist"),
      { autoRepair: false },
      { slots: { memory: "none", contextEngine: "clawos-l0" } },
    );
    gateway = await openGateway({ root: ROOT, release: RELEASE, providerUrl: provider.url, settings });
    await gateway.seedAll(CASES.map((id) => [`agent:main:${id}`, readFileSync(transcriptPath(id), "utf8")]));
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  it.each(CASES)("%s is answered, twice, and stored as it was", async (id) => {
    const key = `agent:main:${id}`;
    const before = await gateway.stored(key);
    for (const text of ["are you there?", "and now?"])
      expect(await gateway.send(key, text)).toMatchObject({ finalText: expect.stringMatching(/^ok \d+$/) });
    expect((await gateway.stored(key)).slice(0, before.length)).toEqual(before);
  });

  it("is the engine of these turns: OpenClaw goes back to its own where it misses something of an engine", () => {
    expect(gateway.log()).not.toContain('degraded to "legacy"');
  });
});
