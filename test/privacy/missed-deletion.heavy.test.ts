import { join } from "node:path";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { makeHome } from "../../harness/openclaw/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { wordsInOurFiles } from "./bytes.ts";
import { patience } from "../../harness/patience.ts";

const RELEASE = "2026.9.6";
const ADMIN = ["operator.read", "operator.write", "operator.admin"];
const SOON = { timeout: patience(30_000), interval: 200 };
const [KEY, KEPT] = ["agent:main:missed", "agent:main:kept"];
const [WORDS, KEPT_WORDS] = ["the-goal-is-quokka", "the-goal-is-okapi"];

let provider: StrictProvider;
let home: string;
let gateway: Gateway | undefined;
beforeAll(async () => {
  provider = await startProvider();
  home = await makeHome("missed-deletion-");
}, 400_000);
afterAll(async () => {
  await gateway?.close();
  await provider.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}, 400_000);

/** A gateway on the same state as the one before it, with the plugin or without. */
async function startGateway(hasPlugin: boolean): Promise<Gateway> {
  await gateway?.close();
  const root = join(releasesFolder(), RELEASE, hasPlugin ? "patched" : "stock");
  const dist = join(root, "node_modules", "openclaw", "dist");
  const config = { continuity: { enabled: true }, logLevel: "info" };
  const settings = hasPlugin ? { settings: pluginSettings(dist, config) } : {};
  const tools = ["read", "continuity_create_goal"];
  const options = { root, release: RELEASE, providerUrl: provider.url, scopes: ADMIN, tools, home, ...settings };
  gateway = await openGateway(options);
  await gateway.start();
  return gateway;
}

// Nobody tells the plugin of it: OpenClaw's database does, an hour later.
it("a session that OpenClaw 2026.9.6 deletes while the plugin is not there is followed once it is", async () => {
  const first = await startGateway(true);
  for (const [key, text] of [
    [KEY, WORDS],
    [KEPT, KEPT_WORDS],
  ] as const) {
    provider.script({ kind: "tool", calls: [{ name: "continuity_create_goal", arguments: { text } }] });
    await first.send(key, "remember this");
  }
  const found = (words: string): string[] => wordsInOurFiles(first.stateDir, [words]);
  await expect
    .poll(() => [found(WORDS), found(KEPT_WORDS)].map(({ length }) => length > 0), SOON)
    .toEqual([true, true]);
  const without = await startGateway(false);
  expect(await without.request("sessions.delete", { key: KEY })).toMatchObject({ ok: true, deleted: true });
  await without.request("sessions.reset", { key: KEPT });

  const list = join(first.stateDir, "openclaw-integrity-sessions.sqlite");
  await startGateway(true);
  const seen = (): unknown[] =>
    withDatabase(list, (database) => database.prepare("SELECT session_key FROM deletions").all());
  await expect.poll(() => seen().map((row) => ({ ...(row as object) })), SOON).toEqual([{ session_key: KEY }]);
  expect(found(WORDS)).not.toEqual([]);
  await gateway!.kill();
  withDatabase(list, (database) => database.exec("UPDATE deletions SET seen_at = seen_at - 7200000"));
  await gateway!.start();
  await expect.poll(() => found(WORDS), SOON).toEqual([]);
  expect(found(KEPT_WORDS)).not.toEqual([]);
}, 400_000);

function withDatabase<Value>(file: string, work: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
