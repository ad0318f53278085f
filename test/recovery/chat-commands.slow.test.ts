import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";

const RELEASE = "2026.2.3";
let provider: StrictProvider | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await provider?.close();
});

it(`chat commands cut no history off and leave no copies of the transcript in the gateway of OpenClaw ${RELEASE}`, async () => {
  provider = await startProvider();
  gateway = await openGateway({
    root: join(releasesFolder(), RELEASE, "patched"),
    release: RELEASE,
    providerUrl: provider.url,
  });
  await gateway.start();
  await gateway.send("agent:main:main", "the heron is grey", { timeoutMs: 60_000 });
  for (const bird of ["magpie", "wren"]) {
    // OpenClaw answers by itself, and appends its reply without a parent.
    await gateway.send("agent:main:main", "/status", { timeoutMs: 60_000 });
    await gateway.send("agent:main:main", `and the ${bird}?`, { timeoutMs: 60_000 });
  }
  const last = provider.requests.at(-1)?.raw;
  for (const bird of ["heron", "magpie", "wren"]) expect(last).toContain(bird);
  const folder = join(gateway.stateDir, "agents", "main", "sessions");
  expect(readdirSync(folder).filter((name) => name.endsWith(".bak"))).toEqual([]);
});
