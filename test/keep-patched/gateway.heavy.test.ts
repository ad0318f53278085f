/**
 * A real gateway under a supervisor, whose OpenClaw an update has left without the patch. The test starts the gateway
 * again when it ends, as a supervisor does.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { status } from "../../src/patching/apply.ts";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { updatedGateway, updatedInstallation, type UpdatedGateway } from "./updated-gateway.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

describe("a supervised gateway that starts without the patch", () => {
  let here: UpdatedGateway;
  beforeEach(async () => {
    here = await updatedGateway(provider.url);
    return () => here.gateway.close();
  });

  it("patches itself, proves it, restarts once, tells the operator, and answers before and afterwards", async () => {
    const { gateway, say, letters, until, openclaw } = here;
    await gateway.start();
    expect(await say("before")).toMatch(/^ok/);
    expect(await gateway.whenEnded()).toContain("(0)");
    expect(status(openclaw).state).toBe("patched");
    await gateway.start();
    expect(await say("afterwards")).toMatch(/^ok/);
    await until(() => letters().includes("active again"));
    expect(letters()).toContain("proven with corrupt sessions on this machine");
    // Nothing restarts it a second time.
    await sleep(70_000);
    expect(await say("and later")).toMatch(/^ok/);
    expect(gateway.log().match(/restarts as soon as/g)).toHaveLength(1);
  }, 600_000);

  it("killed at each step, it comes up with the old code or the new, answers, and ends patched after one restart", async () => {
    const { gateway, say, until, openclaw } = here;
    const record = join(gateway.stateDir, "integrity", "kept.json");
    const recorded = (): string => (existsSync(record) ? readFileSync(record, "utf8") : "");
    const steps: readonly (readonly [name: string, reached: () => boolean])[] = [
      ["before a file is changed", () => recorded().includes('"applied"')],
      ["when they are changed", () => existsSync(join(openclaw, GUARD_FILE)) && status(openclaw).state === "patched"],
      ["when it is proven", () => recorded().includes('"proven"')],
      ["when the restart is recorded", () => recorded().includes("restartedAt")],
    ];
    const reached: string[] = [];
    for (const [name, isReached] of steps) {
      await gateway.start();
      let hasEnded = false;
      void gateway.whenEnded().then(() => (hasEnded = true));
      // A step that passed too quickly to be seen is over with the restart.
      await until(() => isReached() || hasEnded || recorded().includes("isReported"));
      if (isReached()) reached.push(name);
      await gateway.kill();
    }
    await gateway.start();
    expect(await say("is anybody there?")).toMatch(/^ok/);
    await until(() => recorded().includes("isReported"));
    expect(status(openclaw).state).toBe("patched");
    expect(recorded().match(/restartedAt/g)?.length ?? 0).toBeLessThanOrEqual(1);
    console.log(`killed: ${reached.join("; ")}`);
    expect(reached.length).toBeGreaterThan(2);
  }, 900_000);
});

it("two gateways on one installation: it is patched once, each restarts at most once, and both answer", async () => {
  const installation = updatedInstallation();
  const pair = [await updatedGateway(provider.url, installation), await updatedGateway(provider.url, installation)];
  const now = { isOver: false };
  const starts = pair.map(() => 0);
  const supervised = pair.map(async ({ gateway }, nth) => {
    while (!now.isOver) {
      await gateway.start();
      starts[nth]! += 1;
      await gateway.whenEnded();
    }
  });
  try {
    const [{ until, openclaw }] = pair as [UpdatedGateway, UpdatedGateway];
    await until(
      () => status(openclaw).state === "patched" && pair.every(({ letters }) => letters().includes("active")),
      400,
    );
    // Nothing restarts either of them again.
    await sleep(70_000);
    expect(status(openclaw).state).toBe("patched");
    for (const { say, gateway } of pair) {
      expect(await say("afterwards")).toMatch(/^ok/);
      expect(gateway.log().match(/restarts as soon as/g)?.length ?? 0).toBeLessThanOrEqual(1);
    }
    console.log(starts, pair.map(({ letters }) => letters()).join("\n--\n"));
    for (const count of starts) expect(count).toBeLessThanOrEqual(2);
  } finally {
    now.isOver = true;
    for (const { gateway } of pair) await gateway.close();
    await Promise.allSettled(supervised);
  }
}, 900_000);
