import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../harness/gateway/index.ts";
import { HEALTHY } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { patience } from "../../harness/patience.ts";
import { REFUSED } from "./refused-records.ts";
import { openRefusing, refusedUntilRepaired } from "./refusing-gateway.ts";

/** One record of each fault; all of them, also by the plugin: refused-record.heavy.test.ts. */
const SAMPLE = [...Map.groupBy(REFUSED, ({ fault }) => fault).values()].map(([first]) => first!);

describe("a record for which OpenClaw 2026.9.6 refuses every message", () => {
  test("is repaired beside the gateway, after which each is answered on its history", () =>
    refusedUntilRepaired("patched", SAMPLE, false));
});

describe("the lock of a killed process whose id another one has", () => {
  const KEY = "agent:main:stuck";

  /** Leaves a lock behind and returns its path. */
  async function leaveLock(gateway: Gateway): Promise<string> {
    await gateway.seed(KEY, toTranscript(HEALTHY));
    const sleeper = spawn("sleep", ["600"], { stdio: "ignore" });
    onTestFinished(() => void sleeper.kill());
    const folder = join(gateway.stateDir, "agents", "main", "sessions");
    const index = JSON.parse(readFileSync(join(folder, "sessions.json"), "utf8")) as Record<
      string,
      { sessionId: string }
    >;
    const lock = join(folder, `${index[KEY]!.sessionId}.jsonl.lock`);
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    writeFileSync(lock, JSON.stringify({ pid: sleeper.pid, createdAt }, null, 2));
    return lock;
  }

  test("OpenClaw 2026.2.3 answers nothing until a repair", async () => {
    const { gateway, refusal, expectAnswer, repairAll } = await openRefusing("2026.2.3");
    const lock = await leaveLock(gateway);
    await gateway.start();
    // It waits ten seconds for the lock, and tells its clients nothing of the refusal.
    expect(await refusal(KEY, 12_000)).toContain("there was none");
    expect(existsSync(lock)).toBe(true);
    expect(repairAll()).toMatchObject({ status: 0, data: { ok: true, total: 1, refused: 0 } });
    await expectAnswer(KEY);
  });

  test("is removed by the plugin when the gateway starts", async () => {
    const { gateway, expectAnswer } = await openRefusing("2026.2.3", { withPlugin: true });
    const lock = await leaveLock(gateway);
    await gateway.start();
    await expect.poll(() => existsSync(lock), { timeout: patience(60_000) }).toBe(false);
    await expectAnswer(KEY);
  });
});
