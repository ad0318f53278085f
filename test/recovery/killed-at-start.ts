import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { plainSession, startLive } from "../../harness/openclaw/live.ts";
import { slowCall, traceLines } from "../../harness/openclaw/traced-calls.ts";
import { KILL_AT } from "./kill-at-spawn.ts";

const PRELOAD = fileURLToPath(new URL("kill-at-spawn.ts", import.meta.url));

/** Kills a release as soon as a command has started, and looks what the model is told of the command. */
export async function killedAtStart(release: string): Promise<void> {
  const live = await startLive(release, "patched", undefined, {
    env: { NODE_OPTIONS: `--import=${PRELOAD}`, [KILL_AT]: "fired" },
  });
  onTestFinished(() => live.close());
  const { openclaw, provider } = live;
  const run = await openclaw.run({ ...plainSession("anthropic-messages"), tools: ["read", "exec"], messages: [] });
  provider.script({ kind: "tool", calls: [slowCall("fired", 0)] });
  expect((await run.send("fire once")).error).toContain("SIGKILL");
  const workspace = join(openclaw.stateDir, "..", "workspace");
  while (!traceLines(workspace, "fired").includes("end")) await sleep(20);
  provider.reset();
  expect(await run.send("did it run?")).toMatchObject({ answered: true });
  expect(provider.requests[0]!.raw).toContain("interrupted while it was being carried out");
}
