import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { filesBelow, wordsIn, wordsInOurFiles } from "./bytes.ts";
import { patience } from "../../harness/patience.ts";

const RELEASE = "2026.9.6";
const ADMIN = ["operator.read", "operator.write", "operator.admin"];
const SAID = "said-in-private-quokka";
const FOUND = "found-in-private-okapi";

let provider: StrictProvider;
let gateway: Gateway;
beforeAll(async () => {
  provider = await startProvider();
  const root = join(releasesFolder(), RELEASE, "patched");
  const settings = pluginSettings(join(root, "node_modules", "openclaw", "dist"), {
    continuity: { enabled: true },
    snapshotMessages: true,
  });
  gateway = await openGateway({
    root,
    release: RELEASE,
    providerUrl: provider.url,
    scopes: ADMIN,
    settings,
    tools: ["read", "continuity_create_goal"],
  });
  await gateway.start();
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

// OpenClaw keeps such a session in memory only, so that nothing of it outlives the gateway, whatever ends it.
it("an incognito session leaves no word in a file of ours, not even while it is being answered", async () => {
  const { key } = await gateway.request("sessions.create", { incognito: true, label: "private" });
  expect(String(key)).toMatch(/:incognito-/);
  const note = join(gateway.workspaceDir, "private.txt");
  writeFileSync(note, FOUND);
  provider.script(
    { kind: "tool", calls: [{ name: "read", arguments: { path: note } }] },
    { kind: "text", text: "too late", pace: 60_000 },
  );
  const sent = gateway.send(String(key), SAID).catch(() => undefined);
  await expect
    .poll(() => provider.requests.some(({ raw }) => raw.includes(FOUND)), { timeout: patience(60_000) })
    .toBe(true);
  await sleep(1000);
  expect(wordsInOurFiles(gateway.stateDir, [SAID, FOUND])).toEqual([]);
  // Nor in one of OpenClaw's, or there would be nothing to keep out of ours.
  expect(filesBelow(gateway.stateDir).flatMap((file) => wordsIn(file, [SAID, FOUND]))).toEqual([]);
  const offered = provider.requests.find(({ raw }) => raw.includes(FOUND))!.raw;
  expect(offered).toContain('"read"');
  expect(offered).not.toContain("continuity_create_goal");
  await gateway.kill();
  await sent;
});
