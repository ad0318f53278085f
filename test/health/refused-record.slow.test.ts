import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, userEnvironment, type Run } from "../cli/fixture.ts";
import { pinned, putRecord, recordOf, REFUSED } from "./refused-records.ts";

const HEALTHY_KEY = "agent:main:healthy";
const PINNED_KEY = "agent:main:pinned";
const STUCK_KEY = "agent:main:stuck";
const keyOf = (at: number): string => `agent:main:refused-${at}`;

let provider: StrictProvider;
let gateway: Gateway;
let sleeper: ChildProcess | undefined;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(async () => {
  sleeper?.kill();
  await gateway.close();
  await provider.close();
});

async function open(release: string, withPlugin: boolean, variant = "stock"): Promise<string> {
  const root = join(releasesFolder(), release, variant);
  const openclaw = join(root, "node_modules", "openclaw");
  gateway = await openGateway({
    root,
    release,
    providerUrl: provider.url,
    ...(withPlugin && { settings: { ...pluginSettings(join(openclaw, "dist"), {}) } }),
  });
  return openclaw;
}

const repairAll = (openclaw: string): Run =>
  cli(["sessions", "repair", "--all", "--path", openclaw, "--json"], newFolder(), {
    ...userEnvironment(newFolder()),
    OPENCLAW_STATE_DIR: gateway.stateDir,
  });

/** How a message is refused; the provider hears nothing of it. */
async function refusal(key: string, timeoutMs?: number): Promise<string> {
  const { length } = provider.requests;
  const said = await gateway
    .send(key, "are you there?", timeoutMs === undefined ? {} : { timeoutMs })
    .then(({ error, finalText }) => error ?? `answered: ${finalText}`, String);
  expect(provider.requests).toHaveLength(length);
  return said;
}

/** `REFUSED_VARIANTS=stock,patched` for the unpatched one too, which refuses the same. */
const VARIANTS = (process.env["REFUSED_VARIANTS"] ?? "patched").split(",");

async function expectAnswer(key: string): Promise<void> {
  const reply = await gateway.send(key, "and now?");
  expect({ key, error: reply.error, text: reply.finalText }).toEqual({
    key,
    error: undefined,
    text: expect.stringMatching(/^ok \d+$/),
  });
  expect(provider.requests.at(-1)!.raw).toContain(FOUND);
}

describe("a record for which OpenClaw 2026.9.6 refuses every message", () => {
  const database = (): DatabaseSync =>
    new DatabaseSync(join(gateway.stateDir, "agents", "main", "agent", "openclaw-agent.sqlite"));
  const read = (key: string): string => {
    const opened = database();
    try {
      return recordOf(opened, key);
    } finally {
      opened.close();
    }
  };

  async function seed(): Promise<void> {
    await gateway.seed(HEALTHY_KEY, toTranscript(HEALTHY));
    for (const at of REFUSED.keys()) await gateway.seed(keyOf(at), toTranscript(HEALTHY));
    const opened = database();
    for (const [at, { record }] of REFUSED.entries()) putRecord(opened, keyOf(at), record);
    opened.close();
  }

  test.each(VARIANTS)(
    "%s refuses them also after a restart; after a repair, beside the gateway, each is answered on its history",
    async (variant) => {
      const openclaw = await open("2026.9.6", false, variant);
      await seed();
      await gateway.start();
      await expectAnswer(HEALTHY_KEY);
      for (const [at, { said }] of REFUSED.entries()) expect(await refusal(keyOf(at))).toContain(said);
      await gateway.restart();
      for (const [at, { said }] of REFUSED.entries()) expect(await refusal(keyOf(at))).toContain(said);

      const healthy = read(HEALTHY_KEY);
      const { status, data } = repairAll(openclaw);
      expect({ status, data }).toMatchObject({ status: 0, data: { ok: true, total: REFUSED.length, refused: 0 } });
      expect(read(HEALTHY_KEY)).toBe(healthy);
      expect(repairAll(openclaw)).toMatchObject({ status: 0, data: { total: 0 } });
      for (const at of REFUSED.keys()) await expectAnswer(keyOf(at));
      await gateway.restart();
      for (const key of [HEALTHY_KEY, ...[...REFUSED.keys()].map(keyOf)]) await expectAnswer(key);
    },
  );

  test("is repaired by the plugin when the gateway starts", async () => {
    await open("2026.9.6", true);
    await seed();
    await gateway.seed(PINNED_KEY, toTranscript(HEALTHY));
    const { status: _status, lastRunError: _error, ...chosen } = pinned;
    const opened = database();
    putRecord(opened, PINNED_KEY, chosen);
    opened.close();
    await gateway.start();
    await expect
      .poll(() => REFUSED.every((_record, at) => !/mainRestart|initializationP|gone-model/.test(read(keyOf(at)))), {
        timeout: patience(60_000),
      })
      .toBe(true);
    for (const key of [HEALTHY_KEY, ...[...REFUSED.keys()].map(keyOf)]) await expectAnswer(key);
    const kept = readdirSync(join(gateway.stateDir, "integrity-archives"));
    expect(kept.filter((name) => name.endsWith("-record.json"))).toHaveLength(REFUSED.length);
    // That its model does not exist shows with the first message.
    expect(await refusal(PINNED_KEY)).toContain("configured model is unavailable");
    await expectAnswer(PINNED_KEY);
  });
});

describe("the lock of a killed process whose id another one has", () => {
  /** Leaves a lock behind and returns its path. */
  function leaveLock(): string {
    sleeper = spawn("sleep", ["600"], { stdio: "ignore" });
    const folder = join(gateway.stateDir, "agents", "main", "sessions");
    const index = JSON.parse(readFileSync(join(folder, "sessions.json"), "utf8")) as Record<
      string,
      { sessionId: string }
    >;
    const lock = join(folder, `${index[STUCK_KEY]!.sessionId}.jsonl.lock`);
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    writeFileSync(lock, JSON.stringify({ pid: sleeper.pid, createdAt }, null, 2));
    return lock;
  }

  test("OpenClaw 2026.2.3 answers nothing until a repair", async () => {
    const openclaw = await open("2026.2.3", false);
    await gateway.seed(STUCK_KEY, toTranscript(HEALTHY));
    const lock = leaveLock();
    await gateway.start();
    // It tells its clients nothing of the refusal.
    expect(await refusal(STUCK_KEY, 20_000)).toContain("there was none");
    expect(existsSync(lock)).toBe(true);
    expect(repairAll(openclaw)).toMatchObject({ status: 0, data: { ok: true, total: 1, refused: 0 } });
    await expectAnswer(STUCK_KEY);
  });

  test("is removed by the plugin when the gateway starts", async () => {
    await open("2026.2.3", true);
    await gateway.seed(STUCK_KEY, toTranscript(HEALTHY));
    const lock = leaveLock();
    await gateway.start();
    await expect.poll(() => existsSync(lock), { timeout: patience(60_000) }).toBe(false);
    await expectAnswer(STUCK_KEY);
  });
});
