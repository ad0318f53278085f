import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";

const KEY = "agent:main:main";
const RELEASE = "2026.2.3";
let provider: StrictProvider | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await provider?.close();
});

// Unpatched, the file that sessions.compact leaves has no header, and the next message finds an empty conversation.
it("what sessions.compact cuts off stands in words in the next requests of OpenClaw 2026.2.3", async () => {
  provider = await startProvider();
  const root = join(releasesFolder(), RELEASE, "patched");
  const scopes = ["operator.read", "operator.write", "operator.admin"];
  gateway = await openGateway({ root, release: RELEASE, providerUrl: provider.url, scopes });
  await gateway.start();
  for (const text of ["remember the grey heron", "and the blue one", "and the white one"])
    await gateway.send(KEY, text);
  for (const last of ["which ones?", "are these all?"]) {
    const { compacted } = await gateway.request("sessions.compact", { key: KEY, maxLines: 4 });
    expect(compacted).toBe(true);
    await gateway.send(KEY, last);
    const { raw, status } = provider.requests.at(-1)!;
    expect(status).toBe(200);
    for (const text of ["grey heron", "the blue one", "the white one", last]) expect(raw).toContain(text);
  }
  expect(gateway.forgotten()).toEqual([]);
});
