import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";

const RELEASE = "2026.2.3";
const CONVERSATION = "agent:main:main";
const REQUESTS = 3;
let provider: StrictProvider | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await provider?.close();
});

// OpenClaw takes the turn for over when the answer to its retry begins to call tools.
it(`a turn with a broken answer keeps its results and its final answer in the gateway of OpenClaw ${RELEASE}`, async () => {
  provider = await startProvider();
  gateway = await openGateway({
    root: join(releasesFolder(), RELEASE, "patched"),
    release: RELEASE,
    providerUrl: provider.url,
  });
  await gateway.start();
  provider.script(
    { kind: "fault", fault: "drop-in-tool" },
    { kind: "tool", calls: [{ name: "exec", arguments: { command: "sleep 1; echo a grey $((40 + 2)) heron" } }] },
    { kind: "text", text: "the magpie has landed" },
  );
  await gateway.send(CONVERSATION, "count them", { timeoutMs: 60_000 });
  for (let waited = 0; provider.requests.length < REQUESTS && waited < 300; waited++) await sleep(100);
  await sleep(2000);
  await gateway.send(CONVERSATION, "and now?", { timeoutMs: 60_000 });
  const last = provider.requests.at(-1)?.raw;
  expect(last).toContain("a grey 42 heron");
  expect(last).toContain("the magpie has landed");
  expect(last).not.toContain("missing tool result");
});
