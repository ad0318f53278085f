/** What clients see of answers that stream while a provider refuses or stops some of them. */
import { expect, it } from "vitest";
import { WORKSPACE_NOTE } from "../../harness/openclaw/index.ts";
import { noToolBlocksAtAll } from "../../harness/providers/index.ts";
import { STOPPED_REQUEST } from "../../src/recovery/words.ts";
import type { Patched } from "./patched-gateway.ts";

const ANSWER = "one two three four five six seven eight nine ten";
const PACE = { pace: 15, pieces: 10 } as const;

/** How often a text occurs in another. */
const times = (text: string, part: string): number => text.split(part).length - 1;

/** Several sessions whose answers stream at once. */
export function streams(patched: Patched): void {
  it("sessions whose histories are all refused at once streams each answer once, to its own client, and loses no message", async () => {
    const { gateway, provider } = patched;
    const keys = ["one", "two", "three"].map((name) => `agent:main:refused-${name}`);
    for (const key of keys) {
      provider.script({ kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] });
      expect((await gateway.send(key, `first of ${key}`)).finalText).toMatch(/^ok \d+/);
    }
    // From now on the provider takes no tool call in a history.
    provider.enforce(noToolBlocksAtAll());
    provider.script({ kind: "text", text: ANSWER, times: keys.length, ...PACE });
    const before = provider.requests.length;
    const replies = await Promise.all(keys.map((key) => gateway.send(key, `second of ${key}`)));
    for (const [at, reply] of replies.entries()) {
      const key = keys[at]!;
      expect(reply.error, key).toBeUndefined();
      expect(reply.finalText, key).toMatch(new RegExp(`^${ANSWER}\\n`));
      expect(times(reply.finalText, "one two"), key).toBe(1);
      expect(times(reply.finalText, "nothing was deleted"), key).toBe(1);
      // A client that shows each piece as it comes sees the answer grow and never begin again.
      for (const [index, delta] of reply.deltas.entries())
        expect(delta.startsWith(reply.deltas[index - 1] ?? "")).toBe(true);
      expect(reply.deltas.length).toBeGreaterThan(1);
    }
    const sent = provider.requests.slice(before);
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(keys.length);
    expect(sent.length).toBeLessThanOrEqual(keys.length * 3);
    for (const key of keys) {
      const answered = sent.filter(({ status, raw }) => status === 200 && raw.includes(`second of ${key}`));
      expect(answered).toHaveLength(1);
      for (const text of [`first of ${key}`, "blue heron"]) expect(answered[0]!.raw).toContain(text);
      const shown = JSON.stringify(await gateway.history(key));
      for (const text of [`first of ${key}`, `second of ${key}`, "one two"])
        expect(times(shown, text), `${key}: ${text}`).toBe(1);
    }
  });

  it("a session keeps what a person said, whatever words a model was asked to repeat behind it", async () => {
    const { gateway, provider } = patched;
    const key = "agent:main:echo";
    provider.script({ kind: "text", text: `Gladly:\n\n${STOPPED_REQUEST}` });
    await gateway.send(key, `The code word was changed to KIWI-7. Repeat this line: ${STOPPED_REQUEST}`);
    provider.script(
      { kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] },
      { kind: "text", text: STOPPED_REQUEST },
    );
    await gateway.send(key, "read the note");
    expect((await gateway.send(key, "What is the code word?")).finalText).toMatch(/^ok \d+/);
    for (const text of ["KIWI-7", "blue heron", "read the note"]) expect(provider.requests.at(-1)!.raw).toContain(text);
  });

  it.each(["content-filter-400", "refusal-with-text"] as const)(
    "a session sends what a filter has refused once more in the next turn, and no more when that is refused too: %s",
    async (fault) => {
      const { gateway, provider } = patched;
      const key = `agent:main:refused-${fault}`;
      await gateway.send(key, "hello");
      provider.block("BADWORD", { fault });
      const refused = await gateway.send(key, "tell me of the BADWORD");
      expect([refused.finalText, ...refused.agentTexts].join("\n")).toMatch(
        /content filter (refused what was sent last|stopped this answer twice)/,
      );
      expect((await gateway.send(key, "go on")).finalText).toMatch(/ok \d+/);
      expect((await gateway.send(key, "and on")).finalText).toMatch(/^ok \d+$/);
      // Alone, or once more by the agent; then in the next turn.
      expect(provider.requests.filter(({ raw }) => raw.includes("BADWORD"))).toHaveLength(3);
      expect(JSON.stringify(await gateway.history(key))).toContain("BADWORD");
    },
  );

  it("a session that is stopped by a filter in the middle of its answer leaves the others alone", async () => {
    const { gateway, provider } = patched;
    provider.block("the forbidden topic", { fault: "content-filter-in-text", text: "well, let me see what" });
    provider.script({ kind: "text", text: ANSWER, times: 2, ...PACE });
    const [stopped, ...fine] = await Promise.all([
      gateway.send("agent:main:stopped", "tell me of the forbidden topic"),
      gateway.send("agent:main:fine-1", "count"),
      gateway.send("agent:main:fine-2", "count"),
    ]);
    for (const reply of fine) expect(reply).toMatchObject({ finalText: ANSWER });
    expect(stopped!.error).toBeUndefined();
    const seen = [stopped!.finalText, ...stopped!.agentTexts].join("\n");
    expect(seen).toContain("content filter stopped this answer");
    // What was stopped stands in the history until it is stopped again; then the turn goes on without it.
    const next = await gateway.send("agent:main:stopped", "then something else");
    expect([next.finalText, ...next.agentTexts].join("\n")).toMatch(/ok \d+/);
    expect(provider.requests.at(-1)!.raw).toContain("then something else");
    expect(provider.requests.at(-1)!.raw).not.toContain("forbidden topic");
    expect((await gateway.send("agent:main:stopped", "and something else")).finalText).toMatch(/^ok \d+/);
  });
}
