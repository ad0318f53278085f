import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { plainSession, startLive, type Live } from "../../harness/openclaw/live.ts";
import { slowCall, traceLines } from "../../harness/openclaw/traced-calls.ts";
import { RELEASES } from "../../harness/openclaw/travelling.ts";
import { KILL_AT } from "./kill-at-spawn.ts";

const PRELOAD = fileURLToPath(new URL("kill-at-spawn.ts", import.meta.url));

let live: Live | undefined;
afterEach(async () => {
  await live?.close();
  live = undefined;
});

// Up to 2026.4.2 OpenClaw begins a call before it stores the answer that asks for it. Of a payment that runs in between,
// the model would know nothing, and would make it again.
it.each(RELEASES)("OpenClaw %s, killed as soon as a command has started, tells the model of it", async (release) => {
  live = await startLive(release, "patched", undefined, {
    env: { NODE_OPTIONS: `--import=${PRELOAD}`, [KILL_AT]: "fired" },
  });
  const { openclaw, provider } = live;
  const run = await openclaw.run({ ...plainSession("anthropic-messages"), tools: ["read", "exec"], messages: [] });
  provider.script({ kind: "tool", calls: [slowCall("fired", 0)] });
  expect((await run.send("fire once")).error).toContain("SIGKILL");
  const workspace = join(openclaw.stateDir, "..", "workspace");
  while (!traceLines(workspace, "fired").includes("end")) await sleep(20);
  provider.reset();
  expect(await run.send("did it run?")).toMatchObject({ answered: true });
  expect(provider.requests[0]!.raw).toContain("interrupted while it was being carried out");
});
