/** The plugin's repair of records when a gateway of OpenClaw 2026.9.6 starts. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { patience } from "../../harness/patience.ts";
import { pinned, putRecord, type RefusedRecord } from "./refused-records.ts";
import { HEALTHY_KEY, openRefusing, refusedKey, seedRefused, storedRecord, withDatabase } from "./refusing-gateway.ts";

/** Of those records, and of one whose fault shows with its first message. */
export async function repairedByPlugin(records: readonly RefusedRecord[]): Promise<void> {
  const pinnedKey = "agent:main:pinned";
  const { gateway, refusal, expectAnswer } = await openRefusing("2026.9.6", { withPlugin: true });
  await seedRefused(gateway, records, [pinnedKey]);
  const { status: _status, lastRunError: _error, ...chosen } = pinned;
  withDatabase(gateway, (database) => putRecord(database, pinnedKey, chosen));
  await gateway.start();
  const isRefused = (key: string): boolean => /mainRestart|initializationP|gone-model/.test(storedRecord(gateway, key));
  await expect.poll(() => records.map(refusedKey).some(isRefused), { timeout: patience(60_000) }).toBe(false);
  for (const key of [HEALTHY_KEY, ...records.map(refusedKey)]) await expectAnswer(key);
  const kept = readdirSync(join(gateway.stateDir, "integrity-archives"));
  expect(kept.filter((name) => name.endsWith("-record.json"))).toHaveLength(records.length);
  // That its model does not exist shows with the first message.
  expect(await refusal(pinnedKey)).toContain("configured model is unavailable");
  await expectAnswer(pinnedKey);
}
