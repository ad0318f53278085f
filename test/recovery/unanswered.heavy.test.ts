import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { cli, rollBack, userEnvironment } from "../cli/fixture.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { toTranscript, type RunResult } from "../../harness/openclaw/index.ts";
import { plainSession, startLive, toolSession, type Live } from "../../harness/openclaw/live.ts";

let live: Live | undefined;
afterEach(async () => {
  await live?.close();
  live = undefined;
});

/** Sends a message, and kills OpenClaw while it waits for the answer. */
async function killWhileAsked(run: RunResult, message: string): Promise<void> {
  const { openclaw, provider } = live!;
  provider.reset();
  provider.script({ kind: "text", text: "too late", pace: 20_000 });
  const turn = run.send(message).catch((error: unknown) => error);
  while (provider.requests.length === 0) await sleep(20);
  await sleep(300);
  openclaw.kill();
  await turn;
}

const KILLED = ["first of all: magpie", "then again: falcon"];
const SINCE = ["after that: wren", "and last: robin"];

/**
 * Each of them starts OpenClaw three times, which takes the later release ten seconds; there only what can differ is
 * tried unless all is asked for.
 */
const ALL = process.env["UNANSWERED"] === "all";

describe.each(BASE_RELEASES)("OpenClaw %s, killed twice while it waits for the model", (release) => {
  // OpenClaw takes a message without an answer off the path before the next turn, or never stores it.
  const isSample = release !== "2026.2.3" && !ALL;
  it.each(
    [
      ["of a conversation", plainSession("anthropic-messages")],
      // With results in it, 2026.9.6 writes a note of its own behind the user's message.
      ["of one with tool results", toolSession("anthropic-messages")],
      ["of a new one", { ...plainSession("anthropic-messages"), transcript: toTranscript([]) }],
    ].filter(([which]) => !isSample || which === "of one with tool results") as [
      string,
      ReturnType<typeof plainSession>,
    ][],
  )("sends what the user had said then in every later request, %s", async (_which, session) => {
    live = await startLive(release);
    const { openclaw, provider } = live;
    const run = await openclaw.run({ ...session, messages: [] });
    for (const message of KILLED) await killWhileAsked(run, message);
    for (const [at, message] of SINCE.entries()) {
      provider.reset();
      expect(await run.send(message)).toMatchObject({ answered: true });
      const { raw } = provider.requests.at(-1)!;
      const said = [...KILLED, ...SINCE.slice(0, at + 1)].map((text) => raw.indexOf(text));
      expect(said.includes(-1), raw).toBe(false);
      expect(said).toEqual(said.toSorted((a, b) => a - b));
    }
  });

  it.skipIf(isSample).each([0, 1])(
    "sends no word of what was taken back with a rollback, %i turns before the last one",
    async (before) => {
      live = await startLive(release);
      const { openclaw, provider } = live;
      const run = await openclaw.run({ ...toolSession("anthropic-messages"), messages: [] });
      for (const message of KILLED) await killWhileAsked(run, message);
      const root = join(releasesFolder(), release, "patched");
      const environment = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: openclaw.stateDir };
      const listed = cli(["checkpoints", "list", "--path", root, "--json"], newFolder(), environment).data;
      const [id] = (listed["checkpoints"] as { id: string }[]).slice(before).map((one) => one.id);
      expect(
        rollBack(join(root, "node_modules", "openclaw"), [id!, "--session-key", "agent:main:rolled-back"], environment),
      ).toMatchObject({ status: 0 });
      for (const message of SINCE) {
        provider.reset();
        expect(await run.send(message)).toMatchObject({ answered: true });
        const { raw } = provider.requests.at(-1)!;
        expect(raw).toContain(message);
        expect(KILLED.map((text) => raw.includes(text))).toEqual([before === 0, false]);
      }
    },
  );
});
