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
import { putRecord, readStoredRecord, type RefusedRecord } from "./refused-records.ts";

export const HEALTHY_KEY = "agent:main:healthy";
/** The key of the conversation with a record in {@link seedRefused}; OpenClaw stores keys in lower case. */
export const refusedKey = ({ name }: RefusedRecord): string =>
  `agent:main:${name.toLowerCase().replaceAll(/\W+/g, "-")}`;

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

/** Stores a healthy conversation, others like that one, and one for each record that is refused, before the start. */
export async function seedRefused(
  gateway: Gateway,
  records: readonly RefusedRecord[],
  others: readonly string[] = [],
): Promise<void> {
  const keys = [HEALTHY_KEY, ...others, ...records.map(refusedKey)];
  await gateway.seedAll(keys.map((key) => [key, toTranscript(HEALTHY)]));
  withDatabase(gateway, (database) => {
    for (const one of records) putRecord(database, refusedKey(one), one.record);
  });
}

/** The stored record of a conversation. */
export const storedRecord = (gateway: Gateway, key: string): string =>
  withDatabase(gateway, (database) => readStoredRecord(database, key));

/** Records until they are repaired beside the gateway; with restarts before and behind that if asked for. */
export async function refusedUntilRepaired(
  variant: string,
  records: readonly RefusedRecord[],
  withRestarts: boolean,
): Promise<void> {
  const { gateway, refusal, expectAnswer: answers, repairAll } = await openRefusing("2026.9.6", { variant });
  await seedRefused(gateway, records);
  await gateway.start();
  await answers(HEALTHY_KEY);
  const expectRefusals = async (): Promise<void> => {
    for (const one of records) expect(await refusal(refusedKey(one))).toContain(one.said);
  };
  await expectRefusals();
  if (withRestarts) {
    await gateway.restart();
    await expectRefusals();
  }
  const healthy = storedRecord(gateway, HEALTHY_KEY);
  const { status, data } = repairAll();
  expect({ status, data }).toMatchObject({ status: 0, data: { ok: true, total: records.length, refused: 0 } });
  expect(storedRecord(gateway, HEALTHY_KEY)).toBe(healthy);
  expect(repairAll()).toMatchObject({ status: 0, data: { total: 0 } });
  for (const one of records) await answers(refusedKey(one));
  if (!withRestarts) return;
  await gateway.restart();
  for (const key of [HEALTHY_KEY, ...records.map(refusedKey)]) await answers(key);
}
