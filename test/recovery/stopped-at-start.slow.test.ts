import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { startPatched } from "./patched-gateway.ts";

const KEY = "agent:main:main";
const TRIES = 20;
const STEP_MS = 4;
// Unpatched, 10 of 60 such stops on 2026.2.3 are followed by all requests and commands of the turn.
it.each(BASE_RELEASES)(
  "a message that is stopped before its first request asks for no command behind the stop, on OpenClaw %s",
  async (release) => {
    const { gateway, provider } = await startPatched(release, { mayForget: true });
    await gateway.send(KEY, "hello");
    provider.front(() => ({ kind: "tool", calls: [{ name: "read", arguments: { path: "a.txt" } }] }));
    for (let n = 0; n < TRIES; n++) {
      await gateway.post(KEY, `read it, ${n}`);
      await sleep(n * STEP_MS);
      await gateway.request("chat.abort", { sessionKey: KEY });
      const before = provider.requests.length;
      await sleep(300);
      // One may have been on its way.
      expect(provider.requests.length - before, `stopped after ${n * STEP_MS} ms`).toBeLessThanOrEqual(1);
    }
  },
);
