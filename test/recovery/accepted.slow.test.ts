import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startPatched } from "./patched-gateway.ts";

/** How many conversations have each a message accepted, the last of them right before the kill. */
const CONVERSATIONS = 6;
/** How long the last one has until the kill, in milliseconds. */
const PAUSES = [0, 30, 120];

it(
  "a message that is acknowledged, and killed before a model is asked, is in the next request once",
  { timeout: 300_000 },
  async () => {
    const { gateway, provider } = await startPatched("2026.2.3");
    const counts: Record<string, number> = {};
    for (const pause of PAUSES) {
      const keys = Array.from({ length: CONVERSATIONS }, (_, n) => `agent:main:accepted-${pause}-${n}`);
      // The last conversation begins with the message.
      for (const key of keys.slice(1)) await gateway.send(key, "hello");
      for (const key of keys.toReversed()) await gateway.post(key, `book the table of ${key}.`);
      await sleep(pause);
      await gateway.restart();
      for (const key of keys) {
        await gateway.send(key, `which table has ${key}?`);
        await gateway.send(key, `and when does ${key} eat?`);
        const last = provider.requests.findLast(({ raw }) => raw.includes(`and when does ${key} eat?`));
        counts[key] = (last?.raw.split(`book the table of ${key}.`).length ?? 0) - 1;
      }
    }
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((key) => [key, 1])));
  },
);
