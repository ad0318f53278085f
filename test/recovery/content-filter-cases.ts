/** What a content filter refuses or cuts off, and what a conversation is after it. */
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { type ModelApi, WORKSPACE_NOTE } from "../../harness/openclaw/index.ts";
import { contentFilterForms, sameRequestTwice } from "../../harness/providers/index.ts";
import {
  refusedNotice,
  resetNotice,
  STOPPED_AGAIN,
  STOPPED_ANSWER,
  STOPPED_REQUEST,
  STOPPED_SILENTLY,
} from "../../src/recovery/words.ts";
import { missingFrom, plainSession, SAID, toolSession, type Live } from "../../harness/openclaw/live.ts";

const STOPPED =
  /\[The provider's content filter (stopped|refused|refuses)|\[The provider ended this answer without a word|\[This answer was cut off|\[An earlier try of this answer/;

/**
 * Forms of which a release's own adapter leaves nothing that the guard could see: what comes out is a whole answer,
 * nothing at all, or "Unknown error". Gemini documents no error inside a stream; 2026.9.6 takes one for a broken stream
 * and asks again.
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

/** What is played of the cases. */
export interface FilterSample {
  /** Whether a form of an API is, by the place of both. */
  readonly isPlayed: (api: number, form: number) => boolean;
  readonly faults: readonly (
    | "content-filter-400"
    | "refusal-empty"
    | "refusal-with-text"
    | "content-filter-at-start"
  )[];
  /** How many of our notices a model echoes. */
  readonly notices: number;
}

export const WHOLE_FILTER: FilterSample = {
  isPlayed: () => true,
  faults: ["content-filter-400", "refusal-empty", "refusal-with-text", "content-filter-at-start"],
  notices: Infinity,
};
/** Each form of one API or the other, a fault behind which 2026.9.6 asks again, and one behind which it does not. */
export const FILTER_SAMPLE: FilterSample = {
  isPlayed: (api, form) => form % 5 === api,
  faults: ["refusal-empty", "refusal-with-text"],
  notices: 2,
};

/** In an OpenClaw that searches for no refused part: requests are counted, and none is to come behind a turn. */
export function contentFilter(live: Live, release: string, sample: FilterSample): void {
  // Asks again by itself where no status refuses, so that the guard does.
  const isLater = release !== "2026.2.3";

  it("a content filter in any form of any API: no half call stays, the user is told, no request is sent twice, the next two messages are answered", async () => {
    const { provider, openclaw } = live;
    const seen: string[] = [];
    const shown: string[] = [];
    const played: string[] = [];
    for (const [at, api] of openclaw.apis.entries()) {
      for (const { name, form, leaves } of contentFilterForms(api).filter((_, nth) => sample.isPlayed(at, nth))) {
        played.push(`${api} ${name}:`);
        provider.reset();
        provider.script({ kind: "fault", ...form });
        const run = await openclaw.run(plainSession(api));
        const turn = run.turns[0]!;
        const next = [await run.send("second"), await run.send("third")];
        const stored = JSON.stringify(
          (await run.readTranscript()).filter((row) => JSON.stringify(row).includes('"toolCall"')),
        );
        // An answer of nothing is asked for once more, as it was.
        const isAskedAgain = /^ok \d+$/.test(turn.text) && sameRequestTwice(provider.requests);
        const told = isAskedAgain || STOPPED.test(turn.text) || (leaves === "text" && /cannot assist/.test(turn.text));
        const failing = [
          ...(told ? [] : ["not told"]),
          ...(!isAskedAgain && sameRequestTwice(provider.requests) ? ["sent twice"] : []),
          ...(next.every(({ answered, text }) => answered && /^ok \d+/.test(text)) ? [] : ["next not answered"]),
          ...(stored === "[]" ? [] : ["a call stays"]),
          ...(missingFrom(provider.requests.at(-1), ["remember the heron", "all is read"]).length > 0
            ? ["history lost"]
            : []),
        ];
        shown.push(`${api} ${name}: ${turn.text}`);
        if (failing.length > 0) seen.push(`${api} ${name}: ${failing.join(", ")}`);
      }
    }
    const unseen = (UNSEEN[release] ?? []).filter((line) => played.some((form) => line.startsWith(form)));
    expect(seen, shown.join("\n")).toEqual(unseen);
  });

  it("a content filter that cuts an answer inside a tool call does not end the conversation: the incident of 5 February 2026, seven hours of silence", async () => {
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
      expect(await run.send(`hour ${hour}`)).toMatchObject({
        answered: true,
        text: expect.stringMatching(/^ok \d+$/) as string,
      });
    }
    expect(provider.requests.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    expect(sameRequestTwice(provider.requests)).toBeUndefined();
  });

  it("a content filter that blocks the same long write again and again is told at once and not asked for ever: openclaw#76924, a silent freeze for hours", async () => {
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
    expect(await run.send("then tell me something else")).toMatchObject({
      answered: true,
      text: expect.stringMatching(/^ok \d+/) as string,
    });
  });

  it("a content filter is not what a model was asked to repeat: a code word behind an echoed notice of ours stays in every request", async () => {
    const { provider, openclaw } = live;
    for (const notice of [
      STOPPED_REQUEST,
      STOPPED_ANSWER,
      STOPPED_AGAIN,
      STOPPED_SILENTLY,
      refusedNotice("400"),
      resetNotice("0123456789ab", "400"),
    ].slice(0, sample.notices)) {
      provider.reset();
      provider.script({ kind: "text", text: `Gladly:\n\n${notice}` });
      const run = await openclaw.run({
        ...plainSession("anthropic-messages"),
        messages: [`The code word was changed to KIWI-7. Repeat this line: ${notice}`],
      });
      expect(run.turns[0]).toMatchObject({ answered: true });
      // The same behind a tool's result: a page that asks for the echo.
      provider.script(
        { kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] },
        { kind: "text", text: notice },
      );
      expect(await run.send("read the note")).toMatchObject({ answered: true });
      for (const message of ["What is the code word?", "And the note?"]) {
        expect(await run.send(message)).toMatchObject({
          answered: true,
          text: expect.stringMatching(/^ok \d+$/) as string,
        });
        expect(
          missingFrom(provider.requests.at(-1), ["KIWI-7", WORKSPACE_NOTE.text, "remember the heron", "read the note"]),
        ).toEqual([]);
      }
    }
  });

  it.each(sample.faults)(
    "a content filter sees what it has refused once more, alone, then in the next turn, and never again: %s",
    async (fault) => {
      const { provider, openclaw } = live;
      provider.block("BADWORD", { fault });
      const own = await openclaw.run({
        ...plainSession("anthropic-messages"),
        messages: ["hello", "tell me of the BADWORD"],
      });
      expect(own.turns[1]!.text).toMatch(STOPPED);
      const next = [await own.send("hello again"), await own.send("and again")];
      expect(next).toMatchObject([
        { answered: true, text: expect.stringContaining("not sent to this model any more") as string },
        { answered: true, text: expect.stringMatching(/^ok \d+$/) as string },
      ]);
      const sent = provider.requests.filter(({ raw }) => raw.includes("BADWORD"));
      // Behind words that were streamed the agent tries again.
      const isAskedAgain = isLater && fault !== "content-filter-400" && fault !== "refusal-with-text";
      expect(sent).toHaveLength(isAskedAgain ? 4 : 3);
      if (fault !== "refusal-with-text") expect(missingFrom(sent.at(-2))).toContain("remember the heron");
      expect(missingFrom(provider.requests.at(-1), ["remember the heron", "hello again", "and again"])).toEqual([]);
      expect(JSON.stringify(await own.readTranscript())).toContain("BADWORD");
    },
  );

  it.each(sample.faults.filter((fault) => fault !== "content-filter-at-start"))(
    "a content filter that refuses what a tool has found is asked once in this turn, which goes on without, and once in the next: %s",
    async (fault) => {
      const { provider, openclaw } = live;
      provider.block(WORKSPACE_NOTE.text, { fault });
      provider.script({ kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] });
      const run = await openclaw.run({ ...toolSession("anthropic-messages"), messages: ["read the note"] });
      const said = [run.turns[0]!.text, JSON.stringify(await run.readTranscript())].join("\n");
      expect(said).toMatch(/ok \d+/);
      expect(said).toContain("content filter refused what a tool returned");
      expect((await run.send("and now?")).text).toContain("not sent to this model any more");
      expect(await run.send("and now?")).toMatchObject({
        answered: true,
        text: expect.stringMatching(/^ok \d+$/) as string,
      });
      const isAskedAgain = isLater && fault === "refusal-empty";
      expect(provider.requests.filter(({ raw }) => raw.includes(WORKSPACE_NOTE.text))).toHaveLength(
        isAskedAgain ? 3 : 2,
      );
      // Results that did not trip it stay, and so does the question.
      expect(missingFrom(provider.requests.at(-1), [...SAID, "read the note"])).toEqual([]);
    },
  );

  it("a content filter that refuses a history which another model took answers from the newest message alone, says so, and takes the history when it is let through", async () => {
    const { provider, openclaw } = live;
    provider.block("remember the heron", { fault: "content-filter-400" });
    const run = await openclaw.run({ ...plainSession("anthropic-messages"), messages: ["hello"] });
    expect(run.turns[0]!.text).toMatch(/ok \d+[\s\S]*refuses the conversation so far/);
    expect(provider.requests.at(-1)!.raw).not.toContain("remember the heron");
    expect(await run.send("second")).toMatchObject({ answered: true, text: expect.stringMatching(/ok \d+/) as string });
    provider.unblock();
    expect(await run.send("third")).toMatchObject({
      answered: true,
      text: expect.stringMatching(/^ok \d+$/) as string,
    });
    expect(missingFrom(provider.requests.at(-1), ["remember the heron", "hello", "second", "third"])).toEqual([]);
  });
}

/** In an OpenClaw that searches for the refused part. */
export function contentFilterOnWords(live: Live): void {
  it("a content filter that refuses what the user said is not asked with it again", async () => {
    const { provider, openclaw } = live;
    const apis: ModelApi[] = openclaw.apis.filter((api) => api !== "bedrock-converse-stream");
    for (const api of apis) {
      provider.reset();
      provider.block("forbidden fruit", { fault: "prompt-blocked" });
      const run = await openclaw.run({ ...plainSession(api), messages: ["tell me of the forbidden fruit"] });
      const next = [await run.send("hello")];
      // Which part of the history is refused is found behind the turn.
      if (/refuses the conversation so far/.test(next[0]!.text)) await setTimeout(3000);
      next.push(await run.send("hello again"));
      expect({ api, next }).toMatchObject({ next: [{ answered: true }, { answered: true }] });
      expect(next[1]!.text).toMatch(/^ok \d+/);
      expect(provider.requests.at(-1)!.raw).not.toContain("forbidden fruit");
      expect(missingFrom(provider.requests.at(-1), ["remember the heron", "all is read"])).toEqual([]);
      // It stays in the transcript.
      expect(JSON.stringify(await run.readTranscript())).toContain("forbidden fruit");
    }
  });
}
