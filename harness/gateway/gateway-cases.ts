/** That a real gateway answers, streams, runs tools, fails and goes on as tests expect of one. */
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toTranscript, WORKSPACE_NOTE } from "../openclaw/index.ts";
import { releasesFolder } from "../openclaw/releases.ts";
import { FOUND, HEALTHY } from "../openclaw/samples.ts";
import { startProvider, type StrictProvider } from "../providers/index.ts";
import { openGateway, type Gateway } from "./index.ts";
import { patience } from "../patience.ts";

const SEEDED = "agent:main:seeded";

/** What tests rely on of the gateway of an installed release. */
export function gateways(release: string): void {
  describe(`the gateway of OpenClaw ${release}`, () => {
    cases(release);
  });
}

function cases(release: string): void {
  const root = join(releasesFolder(), release, "stock");
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
    gateway = await openGateway({ root, release, providerUrl: provider.url });
    await gateway.seed(SEEDED, toTranscript(HEALTHY));
    await gateway.start();
  });
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });
  beforeEach(() => provider.reset());

  test("answers a message and streams it, on the history that it was given", async () => {
    provider.script({ kind: "text", text: "a blue heron" });
    const reply = await gateway.send(SEEDED, "hello");
    expect(reply).toMatchObject({ finalText: "a blue heron" });
    expect(reply.error).toBeUndefined();
    // Each piece holds what came before it, and the last one is the answer.
    expect(reply.deltas.length).toBeGreaterThan(0);
    for (const delta of reply.deltas) expect("a blue heron".startsWith(delta)).toBe(true);
    // One message, one request: no title, no summary, no heartbeat.
    expect(provider.requests.map(({ raw }) => raw.includes(FOUND))).toEqual([true]);
    expect(JSON.stringify((await gateway.history(SEEDED)).at(-1))).toContain("a blue heron");
    expect(JSON.stringify(await gateway.stored(SEEDED))).toContain("a blue heron");
  });

  test("serves several sessions at once, each with its own answer", async () => {
    const replies = await Promise.all(
      ["one", "two"].map((name) => gateway.send(`agent:main:${name}`, `question ${name}`)),
    );
    expect(replies.map(({ finalText }) => finalText).toSorted()).toEqual(["ok 1", "ok 2"]);
    for (const { deltas, finalText } of replies)
      expect(deltas.every((delta) => finalText.startsWith(delta))).toBe(true);
  });

  test("executes tools in its workspace", async () => {
    provider.script({
      kind: "tool",
      calls: [
        { name: "read", arguments: { path: WORKSPACE_NOTE.path } },
        { name: "exec", arguments: { command: "echo done > ran.txt" } },
      ],
    });
    await gateway.send("agent:main:tools", "do it");
    expect(provider.requests.at(-1)?.raw).toContain(WORKSPACE_NOTE.text);
    expect(readFileSync(join(gateway.workspaceDir, "ran.txt"), "utf8")).toBe("done\n");
  });

  test("waits for the attempts that a client hears nothing of", async () => {
    provider.script({ kind: "fault", fault: "drop-in-tool" }, { kind: "text", text: "after a retry" });
    const reply = await gateway.send("agent:main:retry", "hello");
    expect(reply.agentTexts.at(-1)).toBe("after a retry");
    expect(provider.requests).toHaveLength(2);
  });

  test("a failed turn ends, without an answer", async () => {
    provider.script({ kind: "fault", fault: "400-roles-alternate" });
    const reply = await gateway.send("agent:main:refused", "hello");
    // The older release shows its clients nothing at all.
    expect(reply.error === undefined).toBe(release === "2026.2.3");
    expect(reply.agentTexts).toEqual([]);
    expect((await gateway.send("agent:main:refused", "again")).finalText).toBe("ok 2");
  });

  // Kills of the other one: test/recovery/messages.slow.test.ts.
  test.runIf(release === "2026.2.3")("goes on with a session after kill -9", async () => {
    provider.script({ kind: "fault", fault: "hang" });
    const cut = expect(gateway.send("agent:main:killed", "first")).rejects.toThrow("connection");
    await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBe(1);
    await gateway.kill();
    await cut;
    await expect(gateway.send("agent:main:killed", "nobody there")).rejects.toThrow("expected a gateway that runs");
    await gateway.start();
    expect((await gateway.send(SEEDED, "again")).finalText).toMatch(/^ok \d$/);
    // OpenClaw may also take up the turn that was killed, before or after this one.
    expect(provider.requests.some(({ raw }) => raw.includes(FOUND))).toBe(true);
  });
}
