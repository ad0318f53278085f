import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { startPatched } from "./patched-gateway.ts";

/** How many conversations have each a message accepted, the last of them right before the kill. */
const CONVERSATIONS = 6;
/** How long the last one has until the kill, in milliseconds; with 0 the acknowledgement is the last thing that is said. */
const PAUSES = [0, 60];

/** From the acknowledgement to the stop, in milliseconds. */
const STOPPED_AFTER = [0, 10, 20, 40, 80];

it.each(BASE_RELEASES)(
  "a message that is acknowledged, and killed before a model is asked, is in the next request once: %s",
  { timeout: 300_000 },
  async (release) => {
    const { gateway, provider } = await startPatched(release);
    const counts: Record<string, number> = {};
    for (const pause of PAUSES) {
      const keys = Array.from({ length: CONVERSATIONS }, (_, n) => `agent:main:accepted-${pause}-${n}`);
      // The last conversation begins with the message.
      for (const key of keys.slice(1)) await gateway.send(key, "hello");
      for (const key of keys.toReversed()) await gateway.post(key, `book the table of ${key}.`);
      if (pause > 0) await sleep(pause);
      await gateway.restart();
      await Promise.all(
        keys.map(async (key) => {
          await gateway.send(key, `which table has ${key}?`);
          await gateway.send(key, `and when does ${key} eat?`);
          const last = provider.requests.findLast(({ raw }) => raw.includes(`and when does ${key} eat?`));
          counts[key] = (last?.raw.split(`book the table of ${key}.`).length ?? 0) - 1;
        }),
      );
    }
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((key) => [key, 1])));
  },
);

it.each(BASE_RELEASES)(
  "the model is told once of a message that is stopped behind its acknowledgement, and has the next: %s",
  { timeout: 300_000 },
  async (release) => {
    const { gateway, provider } = await startPatched(release);
    const counts: Record<string, number> = {};
    for (const turn of [1, 2])
      for (const pause of STOPPED_AFTER) {
        const key = `agent:main:stopped-${pause}`;
        const said = [`book the table of ${key}-${turn}.`, `which table has ${key}-${turn}?`];
        const runId = await gateway.post(key, said[0]!);
        await sleep(pause);
        await gateway.request("chat.abort", { sessionKey: key, runId });
        await gateway.send(key, said[1]!);
        await gateway.send(key, `and when does ${key}-${turn} eat?`);
        const last = provider.requests.findLast(({ raw }) => raw.includes(`and when does ${key}-${turn} eat?`));
        // The person is told too, in an answer.
        const { messages } = last!.body as { messages: { role: string }[] };
        const asked = JSON.stringify(messages.filter(({ role }) => role === "user"));
        for (const words of said) counts[words] = asked.split(words).length - 1;
      }
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((words) => [words, 1])));
  },
);
