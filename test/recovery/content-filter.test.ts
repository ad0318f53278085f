import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ModelApi } from "../openclaw/index.ts";
import { BASE_RELEASES } from "../openclaw/releases.ts";
import { contentFilterForms, sameRequestTwice } from "../providers/index.ts";
import { missingFrom, plainSession, startLive, toolSession, type Live } from "./live.ts";

const STOPPED = /\[The provider's content filter (stopped|refused)|\[The provider ended this answer without a word|\[This answer was cut off|\[An earlier try of this answer/;

/**
 * Forms of which a release's own adapter leaves nothing that the guard could see: what comes out is a whole answer, nothing at all, or
 * "Unknown error". Gemini documents no error inside a stream; 2026.9.6 takes one for a broken stream and asks again.
 */
const UNSEEN: Record<string, readonly string[]> = {
  "2026.2.3": [
    "openai-completions refusal in its own field: not told",
    "openai-responses ended with text: not told",
    "openai-responses ended with a whole call: not told, a call stays",
    "openai-responses response.failed before any content: not told",
    "openai-responses response.failed in the middle of a text: not told",
    "google-generative-ai ended with a whole call: not told, a call stays",
  ],
  "2026.9.6": [
    "google-generative-ai error before any content: not told",
    "google-generative-ai error in the middle of a text: not told",
    "google-generative-ai error in the middle of a call: not told",
    "google-generative-ai error after a whole call: not told",
  ],
};

describe.each(BASE_RELEASES)("a content filter on OpenClaw %s", (release) => {
  let live: Live;
  beforeAll(async () => (live = await startLive(release)));
  afterAll(async () => await live?.close());
  beforeEach(() => live.provider.reset());

  it("in any form of any API: no half call stays, the user is told, no request is sent twice, the next two messages are answered", async () => {
    const { provider, openclaw } = live;
    const seen: string[] = [];
    for (const api of openclaw.apis) {
      for (const { name, form, leaves } of contentFilterForms(api)) {
        provider.reset();
        provider.script({ kind: "fault", ...form });
        const run = await openclaw.run(plainSession(api));
        const turn = run.turns[0]!;
        const next = [await run.send("second"), await run.send("third")];
        const stored = JSON.stringify((await run.readTranscript()).filter((row) => JSON.stringify(row).includes('"toolCall"')));
        const told = STOPPED.test(turn.text) || (leaves === "text" && /cannot assist/.test(turn.text));
        const failing = [
          ...(told ? [] : ["not told"]),
          ...(sameRequestTwice(provider.requests) ? ["sent twice"] : []),
          ...(next.every(({ answered, text }) => answered && /^ok \d+/.test(text)) ? [] : ["next not answered"]),
          ...(stored === "[]" ? [] : ["a call stays"]),
          ...(missingFrom(provider.requests.at(-1), ["remember the heron", "all is read"]).length > 0 ? ["history lost"] : []),
        ];
        if (failing.length > 0) seen.push(`${api} ${name}: ${failing.join(", ")}`);
      }
    }
    expect(seen).toEqual(UNSEEN[release] ?? []);
  });

  it("that cuts an answer inside a tool call does not end the conversation: the incident of 5 February 2026, seven hours of silence", async () => {
    const { provider, openclaw } = live;
    // The agent is in the middle of its work: one call is done, the next one is cut off.
    provider.script(
      { kind: "tool", calls: [{ name: "read", arguments: { path: "note.txt" } }] },
      { kind: "fault", fault: "content-filter-in-tool" },
    );
    const run = await openclaw.run(toolSession("anthropic-messages"));
    expect(run.turns[0]).toMatchObject({ answered: true });
    expect(run.turns[0]!.text).toMatch(STOPPED);
    // What the tool found is kept, and the agent was told before it tried again.
    expect(provider.requests.at(-1)!.raw).toContain("blue heron");
    expect(provider.requests.at(-1)!.raw).toContain("content filter stopped your last answer");
    for (let hour = 1; hour <= 7; hour++) {
      expect(await run.send(`hour ${hour}`)).toMatchObject({ answered: true, text: expect.stringMatching(/^ok \d+$/) as string });
    }
    expect(provider.requests.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    expect(sameRequestTwice(provider.requests)).toBeUndefined();
  });

  it("that blocks the same long write again and again is told at once and not asked for ever: openclaw#76924, a silent freeze for hours", async () => {
    const { provider, openclaw } = live;
    const write = { name: "write", arguments: { path: "long.md", content: "x".repeat(20_000) } };
    provider.script({ kind: "fault", fault: "content-filter-in-tool", calls: [write], times: 50 });
    const run = await openclaw.run(plainSession("anthropic-messages"));
    expect(run.turns[0]!.text).toMatch(STOPPED);
    expect(provider.requests.length).toBeLessThanOrEqual(3);
    expect(sameRequestTwice(provider.requests)).toBeUndefined();
    const again = await run.send("please try once more");
    expect(again.text).toMatch(STOPPED);
    expect(provider.requests.length).toBeLessThanOrEqual(6);
    expect(sameRequestTwice(provider.requests)).toBeUndefined();
    provider.reset();
    expect(await run.send("then tell me something else")).toMatchObject({ answered: true, text: expect.stringMatching(/^ok \d+/) as string });
  });

  it("that refuses what the user said is not asked with it again", async () => {
    const { provider, openclaw } = live;
    const apis: ModelApi[] = openclaw.apis.filter((api) => api !== "bedrock-converse-stream");
    for (const api of apis) {
      provider.reset();
      provider.block("forbidden fruit", { fault: "prompt-blocked" });
      const run = await openclaw.run({ ...plainSession(api), messages: ["tell me of the forbidden fruit"] });
      const next = [await run.send("hello"), await run.send("hello again")];
      expect({ api, next }).toMatchObject({ next: [{ answered: true }, { answered: true }] });
      expect(next[1]!.text).toMatch(/^ok \d+/);
      expect(provider.requests.at(-1)!.raw).not.toContain("forbidden fruit");
      expect(missingFrom(provider.requests.at(-1), ["remember the heron", "all is read"])).toEqual([]);
      // It stays in the transcript.
      expect(JSON.stringify(await run.readTranscript())).toContain("forbidden fruit");
    }
  });
});
