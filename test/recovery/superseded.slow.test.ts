import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { patience } from "../../harness/patience.ts";
import { startPatched } from "./patched-gateway.ts";

const RELEASE = "2026.9.6";
/** After how many milliseconds a message interrupts the run that has the words of two earlier ones in its prompt. */
const PAUSES = [450, 600, 750];
const WORDS = ["first", "second", "third", "fourth", "fifth", "sixth"];

it.each(["collect", "followup"])(
  "a question whose run is superseded, and the run that was to ask it too, is in the next request once: %s",
  { timeout: 240_000 },
  async (queueMode) => {
    const { gateway, provider } = await startPatched(RELEASE);
    const counts: Record<string, number[]> = {};
    for (const pause of PAUSES) {
      const key = `agent:main:superseded-${pause}`;
      const say = (word: string): string => `${word} of ${key}.`;
      await gateway.send(key, "hello");
      const before = provider.requests.length;
      provider.script({ kind: "fault", fault: "hang" });
      await gateway.post(key, say("first"));
      for (let waited = 0; provider.requests.length === before && waited < 300; waited++) await sleep(100);
      await gateway.post(key, say("second"), { queueMode });
      await sleep(100);
      await gateway.post(key, say("third"), { queueMode: "interrupt" });
      await sleep(pause);
      await gateway.post(key, say("fourth"), { queueMode: "interrupt" });
      await sleep(1000);
      for (const word of ["fifth", "sixth"]) await gateway.send(key, say(word));
      // It may be queued behind the fourth, where the machine is slow.
      const last = await vi.waitUntil(
        () => provider.requests.findLast(({ raw }) => raw.includes(say("sixth"))),
        patience(30_000),
      );
      counts[pause] = WORDS.map((word) => last.raw.split(say(word)).length - 1);
    }
    expect(counts).toEqual(Object.fromEntries(PAUSES.map((pause) => [pause, WORDS.map(() => 1)])));
  },
);
