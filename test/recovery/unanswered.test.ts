import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { BASE_RELEASES } from "../openclaw/releases.ts";
import { toTranscript } from "../openclaw/index.ts";
import { plainSession, startLive, type Live } from "./live.ts";

let live: Live | undefined;
afterEach(async () => {
  await live?.close();
  live = undefined;
});

const KILLED = ["first of all: magpie", "then again: falcon"];
const SINCE = ["after that: wren", "and last: robin"];

describe.each(BASE_RELEASES)("OpenClaw %s, killed twice while it waits for the model", (release) => {
  // OpenClaw takes a message without an answer off the path before the next turn, or never stores it.
  it.each([["of a conversation", plainSession("anthropic-messages")], ["of a new one", { ...plainSession("anthropic-messages"), transcript: toTranscript([]) }]])(
    "sends what the user had said then in every later request, %s",
    async (_which, session) => {
      live = await startLive(release);
      const { openclaw, provider } = live;
      const run = await openclaw.run({ ...session, messages: [] });
      for (const message of KILLED) {
        provider.reset();
        provider.script({ kind: "text", text: "too late", pace: 20_000 });
        const turn = run.send(message).catch((error: unknown) => error);
        while (provider.requests.length === 0) await sleep(20);
        await sleep(300);
        openclaw.kill();
        await turn;
      }
      for (const [at, message] of SINCE.entries()) {
        provider.reset();
        expect(await run.send(message)).toMatchObject({ answered: true });
        const { raw } = provider.requests.at(-1)!;
        const said = [...KILLED, ...SINCE.slice(0, at + 1)].map((text) => raw.indexOf(text));
        expect(said.includes(-1), raw).toBe(false);
        expect(said).toEqual(said.toSorted((a, b) => a - b));
      }
    },
  );
});
