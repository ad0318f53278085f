import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider } from "../../harness/providers/index.ts";

const RELEASE = "2026.2.3";

/** The id of a process that is gone. */
function deadPid(): number {
  return Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
}

// Found by `npm run trial chaos`: 2026.2.3 in the gateway, seed 20261123, episode 3.
it.concurrent.each([
  // OpenClaw respects it for 30 s, and gives up a message after 10.
  ["", "killed before it had written its id", 12_000],
  [JSON.stringify({ pid: deadPid(), startedAt: 1 }), "killed while it wrote", 2000],
])(
  `the gateway of OpenClaw ${RELEASE} answers the first message after a kill that left the lock of sessions.json %j (%s)`,
  async (lock, _what, ageMs) => {
    const provider = await startProvider();
    const gateway = await openGateway({
      root: join(releasesFolder(), RELEASE, "patched"),
      release: RELEASE,
      providerUrl: provider.url,
    });
    try {
      const folder = join(gateway.stateDir, "agents", "main", "sessions");
      mkdirSync(folder, { recursive: true });
      const file = join(folder, "sessions.json.lock");
      writeFileSync(file, lock);
      const killed = new Date(Date.now() - ageMs);
      utimesSync(file, killed, killed);
      await gateway.start();
      expect(await gateway.send("agent:main:main", "are you there?", { timeoutMs: 60_000 })).toMatchObject({
        finalText: "ok 1",
      });
    } finally {
      await gateway.close();
      await provider.close();
    }
  },
);
