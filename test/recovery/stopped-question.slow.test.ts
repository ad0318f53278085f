import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { startPatched } from "./patched-gateway.ts";

const KEY = "agent:main:main";
// OpenClaw removes a question without an answer from the path, to ask it again; a stopped one it never asks again.
it.each(BASE_RELEASES)(
  "a question that a person stops in the middle of its answer is in the next request of OpenClaw %s",
  async (release) => {
    const { gateway, provider } = await startPatched(release);
    await gateway.send(KEY, "hello");
    provider.script({ kind: "text", text: "well, let me see ".repeat(100), pace: 900, pieces: 100 });
    const before = provider.requests.length;
    await gateway.post(KEY, "book the flight to Oslo");
    for (let waited = 0; provider.requests.length === before && waited < 600; waited++) await sleep(100);
    await sleep(2000);
    await gateway.request("chat.abort", { sessionKey: KEY });
    await gateway.send(KEY, "no, the second one please");
    for (const text of ["hello", "book the flight to Oslo", "no, the second one please"])
      expect(provider.requests.at(-1)!.raw.split(text).length - 1, text).toBe(1);
  },
);
