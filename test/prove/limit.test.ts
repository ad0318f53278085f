import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Kept } from "../../src/prove/openclaw/kept.ts";

const LIMIT_MS = 2_000;

async function started(code: string): Promise<() => boolean> {
  const kept = new Kept(process.execPath, {}, 120_000);
  onTestFinished(() => kept.close());
  const { home } = await kept.home;
  kept.start({ command: process.execPath, args: ["-e", code], env: {}, cwd: home });
  return kept.limit(LIMIT_MS);
}

test.runIf(process.platform === "linux")(
  "a limit is over for a program that hangs, and not for one that works: a slow machine would make a proof fail",
  async () => {
    const [hangs, works] = await Promise.all(["setInterval(() => {}, 100)", "for (;;) Math.random()"].map(started));
    for (let at = 0; !hangs!() || at < 3 * LIMIT_MS; at += 100) {
      expect(works!()).toBe(false);
      await sleep(100);
    }
  },
);
