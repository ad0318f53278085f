/** A gateway some of whose conversations it refuses or cannot answer, and their repair beside it. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { FOUND, HEALTHY } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, userEnvironment, type Run } from "../cli/fixture.ts";
import { putRecord, readStoredRecord, REFUSED } from "./refused-records.ts";

export const HEALTHY_KEY = "agent:main:healthy";
/** The conversations of {@link seedRefused}, one for each record. */
export const REFUSED_KEYS = REFUSED.map((_record, at) => `agent:main:refused-${at}`);

/** How such a gateway is used; it is closed behind its test. */
export interface RefusingGateway {
  readonly gateway: Gateway;
  /** How a message is refused; the provider hears nothing of it. */
  refusal(key: string, timeoutMs?: number): Promise<string>;
  /** Throws unless a message is answered on the whole history. */
  expectAnswer(key: string): Promise<void>;
  /** `sessions repair --all`, beside the gateway. */
  repairAll(): Run;
}

/** Opens the gateway of a base release, which `start()` starts. */
export async function openRefusing(
  release: string,
  { variant = "stock", withPlugin = false }: { variant?: string; withPlugin?: boolean } = {},
): Promise<RefusingGateway> {
  const provider = await startProvider();
  const root = join(releasesFolder(), release, variant);
  const openclaw = join(root, "node_modules", "openclaw");
  const settings = withPlugin ? { settings: { ...pluginSettings(join(openclaw, "dist"), {}) } } : {};
  const gateway = await openGateway({ root, release, providerUrl: provider.url, ...settings });
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
  });
  return {
    gateway,
    refusal: (key, timeoutMs) => readRefusal(gateway, provider, key, timeoutMs),
    expectAnswer: (key) => expectAnswer(gateway, provider, key),
    repairAll: () => {
      const environment = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir };
      return cli(["sessions", "repair", "--all", "--path", openclaw, "--json"], newFolder(), environment);
    },
  };
}

async function readRefusal(
  gateway: Gateway,
  provider: StrictProvider,
  key: string,
  timeoutMs?: number,
): Promise<string> {
  const { length } = provider.requests;
  const said = await gateway
    .send(key, "are you there?", timeoutMs === undefined ? {} : { timeoutMs })
    .then(({ error, finalText }) => error ?? `answered: ${finalText}`, String);
  expect(provider.requests).toHaveLength(length);
  return said;
}

async function expectAnswer(gateway: Gateway, provider: StrictProvider, key: string): Promise<void> {
  const reply = await gateway.send(key, "and now?");
  expect({ key, error: reply.error, text: reply.finalText }).toEqual({
    key,
    error: undefined,
    text: expect.stringMatching(/^ok \d+$/),
  });
  expect(provider.requests.at(-1)!.raw).toContain(FOUND);
}

/** Calls a function with the database of OpenClaw 2026.9.6. */
export function withDatabase<T>(gateway: Gateway, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(gateway.stateDir, "agents", "main", "agent", "openclaw-agent.sqlite"));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Stores a healthy conversation, and one for each record that is refused, before the start. */
export async function seedRefused(gateway: Gateway): Promise<void> {
  for (const key of [HEALTHY_KEY, ...REFUSED_KEYS]) await gateway.seed(key, toTranscript(HEALTHY));
  withDatabase(gateway, (database) => {
    for (const [at, { record }] of REFUSED.entries()) putRecord(database, REFUSED_KEYS[at]!, record);
  });
}

/** The stored record of a conversation. */
export const storedRecord = (gateway: Gateway, key: string): string =>
  withDatabase(gateway, (database) => readStoredRecord(database, key));

/** All of {@link REFUSED}, until they are repaired beside the gateway; with restarts before and behind that if asked for. */
export async function refusedUntilRepaired(variant: string, withRestarts: boolean): Promise<void> {
  const { gateway, refusal, expectAnswer: answers, repairAll } = await openRefusing("2026.9.6", { variant });
  await seedRefused(gateway);
  await gateway.start();
  await answers(HEALTHY_KEY);
  const expectRefusals = async (): Promise<void> => {
    for (const [at, { said }] of REFUSED.entries()) expect(await refusal(REFUSED_KEYS[at]!)).toContain(said);
  };
  await expectRefusals();
  if (withRestarts) {
    await gateway.restart();
    await expectRefusals();
  }
  const healthy = storedRecord(gateway, HEALTHY_KEY);
  const { status, data } = repairAll();
  expect({ status, data }).toMatchObject({ status: 0, data: { ok: true, total: REFUSED.length, refused: 0 } });
  expect(storedRecord(gateway, HEALTHY_KEY)).toBe(healthy);
  expect(repairAll()).toMatchObject({ status: 0, data: { total: 0 } });
  for (const key of REFUSED_KEYS) await answers(key);
  if (!withRestarts) return;
  await gateway.restart();
  for (const key of [HEALTHY_KEY, ...REFUSED_KEYS]) await answers(key);
}
