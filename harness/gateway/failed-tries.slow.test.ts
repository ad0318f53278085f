import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { releasesFolder } from "../openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../providers/index.ts";
import { openGateway, type Gateway } from "./index.ts";
import { OWNER, OWNERS_ENTRY, say, settingsWithPeople } from "./people.ts";

const RELEASE = "2026.2.3";
const root = join(releasesFolder(), RELEASE, "patched");
let provider: StrictProvider;
let gateway: Gateway;
beforeAll(async () => {
  provider = await startProvider();
  const { settings, env } = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
  const scopes = ["operator.read", "operator.write", "operator.admin"];
  gateway = await openGateway({ root, release: RELEASE, providerUrl: provider.url, scopes, settings, env });
  await gateway.start();
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.reset();
  provider.front(() => ({ status: 503, body: { error: { type: "api_error", message: "Service unavailable" } } }));
});

// OpenClaw asks twelve times, tells a channel of it, and ends the turn of a client without a word.
it(`of OpenClaw ${RELEASE}, patched, a client is told that the provider has failed each time, a channel has OpenClaw's own words of it, and the next message is answered`, async () => {
  const [{ error, finalText, agentTexts }, heard] = await Promise.all([
    gateway.send("agent:main:client", "hello"),
    say(gateway, OWNER, "hello", "agent:main:channel"),
  ]);
  expect([error, finalText, ...agentTexts].join()).toMatch(
    /failed each time it was asked.*Please send your message again.*Service unavailable/,
  );
  expect(heard).toMatch(/unavailable|overloaded|failed/i);
  expect(heard).not.toContain("failed each time it was asked");
  provider.reset();
  expect((await gateway.send("agent:main:client", "and now?")).finalText).toMatch(/^ok \d+/);
});
