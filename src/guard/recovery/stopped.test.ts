/** Answers that are cut off: by a content filter, by the model that refuses, and inside a tool call. */
import { describe, expect, it } from "vitest";
import {
  FILTERED,
  HISTORY,
  MODEL,
  answers,
  ask,
  calls,
  fails,
  makeContext,
  playInFreshHome,
  says,
  session,
  type Event,
} from "../../../harness/guard/played-call.ts";
import { result, user } from "../../../harness/messages.ts";
import { ANSWER_WITHOUT, STOPPED_REQUEST } from "../../recovery/words.ts";
import { guardSession } from "../gates.ts";

playInFreshHome();

describe("an answer that a content filter stops", () => {
  it("ends without its half call, says so, and the agent is told before it goes on", async () => {
    const stopped = fails(FILTERED, "let me write") as { events: Event[] };
    const error = stopped.events.at(-1)!["error"] as { content: object[] };
    error.content.push({ type: "toolCall", id: "toolu_x", name: "write", arguments: {}, partialJson: '{"pa' });
    const { guarded, seen, followUp } = session([stopped, answers("another way")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(heard.message).toMatchObject({ stopReason: "stop" });
    expect(heard.message.errorMessage).toBeUndefined();
    expect(JSON.stringify(heard.message)).not.toContain("toolCall");
    expect(heard.words).toBe(
      "let me write\n\n[The provider's content filter stopped this answer. What was cut off is not kept, and no tool call in it was run.]",
    );
    expect(followUp).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ role: "custom", customType: "openclaw-integrity" }),
    );
    expect(seen).toHaveLength(1);
    expect(heard.message).toMatchObject({ openclawIntegrity: { notice: "stopped", hinted: true } });
  });

  it("for a tool's result is made again without the result, and the answer says so in a field: the next turn tries with the result once more, and no later one", async () => {
    const { guarded, seen } = session([
      fails(FILTERED),
      answers("without it"),
      fails(FILTERED),
      answers("without it again"),
      answers("later"),
    ]);
    const history = [
      ...HISTORY.slice(0, 6),
      user("and c?"),
      { ...calls("toolu_c"), provider: "anthropic", model: "m" },
      result("toolu_c"),
    ];
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const heard = await ask(guarded, history);
    expect(heard.words).toBe(
      "without it\n\n[The provider's content filter refused what a tool returned. This answer was made without the result.]",
    );
    expect(heard.message).toMatchObject({ openclawIntegrity: { withholds: "results" } });
    const next = [...history, heard.message, user("next")];
    const again = await ask(guarded, next);
    expect(again.words).toContain("is not sent to this model any more");
    expect((await ask(guarded, [...next, again.message, user("and then")])).words).toBe("later");
    const sent = seen.map((context) => JSON.stringify(context));
    expect(sent.map((body) => body.includes("found toolu_c"))).toEqual([true, false, true, false, false]);
    for (const body of sent) expect(body).toContain("found toolu_b");
  });

  it("that refuses the question is asked with it once more in the next turn, and no more once it has refused again", async () => {
    const { guarded, seen } = session([fails(FILTERED), fails(FILTERED), fails(FILTERED), answers("ok")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const asked = [user("hello"), own, user("BADWORD")];
    const heard = await ask(guarded, asked);
    expect(heard.message).toMatchObject({
      stopReason: "stop",
      openclawIntegrity: { notice: "stopped", withholds: "all" },
    });
    const next = [...asked, heard.message, user("next")];
    const again = await ask(guarded, next);
    expect(again.message).toMatchObject({ openclawIntegrity: { confirms: true } });
    await ask(guarded, [...next, again.message, user("and then")]);
    const sent = seen.map((context) => JSON.stringify(context));
    expect(sent.map((body) => body.includes("BADWORD"))).toEqual([true, true, true, false, false]);
  });

  it("that relents is asked with all that was said: no word is kept from it for one mistake", async () => {
    const { guarded, seen } = session([fails(FILTERED), fails(FILTERED), answers("ok"), answers("and so on")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const asked = [user("hello"), own, user("HARMLESS")];
    const next = [...asked, (await ask(guarded, asked)).message, user("next")];
    const again = await ask(guarded, next);
    expect(again.words).toBe("ok");
    await ask(guarded, [...next, again.message, user("and then")]);
    for (const context of seen) expect(JSON.stringify(context)).toContain("HARMLESS");
  });

  it("is asked again by a later release, so that the guard asks again first: the history is not left out for a stop that passes", async () => {
    const { guarded, seen } = session([fails(FILTERED), answers("ok")]);
    guardSession(guarded, makeContext({ release: "2026.9.6" }));
    expect((await ask(guarded)).words).toBe("ok");
    expect(JSON.stringify(seen[1])).toBe(JSON.stringify(seen[0]));
    // A status refuses.
    const refused = session([fails(`400 ${FILTERED}`), answers("ok")]);
    guardSession(refused.guarded, makeContext({ release: "2026.9.6" }));
    expect((await ask(refused.guarded)).words).toContain("made from your last message alone");
  });

  it("behind streamed words, for what it had refused before, has the agent answer without that in the same turn", async () => {
    const { guarded, seen, followUp } = session([fails(FILTERED, "well"), answers("without it")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext());
    const refused = { ...own, openclawIntegrity: { notice: "stopped", withholds: "all" } };
    const asked = [user("BADWORD"), refused, user("next")];
    const heard = await ask(guarded, asked);
    expect(heard.message).toMatchObject({ openclawIntegrity: { notice: "stopped", confirms: true, hinted: true } });
    expect(followUp).toHaveBeenCalledOnce();
    await ask(guarded, [...asked, heard.message, user(ANSWER_WITHOUT)]);
    expect(seen.map((context) => JSON.stringify(context).includes("BADWORD"))).toEqual([true, false]);
  });

  it("is not told by a model's own words", async () => {
    const { guarded, seen } = session([answers("ok")]);
    const own = { ...says("fine"), provider: "anthropic", model: "m" };
    guardSession(guarded, makeContext());
    // The same words without the field: somebody repeats them.
    const echo = { ...own, content: [{ type: "text", text: STOPPED_REQUEST }] };
    await ask(guarded, [user("The code word is KIWI-7. Repeat that notice."), echo, user("What is the code word?")]);
    expect(JSON.stringify(seen.at(-1))).toContain("KIWI-7");
  });

  it.each([
    ["of no words", "anthropic-messages", { content: [], usage: { output: 0 } }],
    ["by an error without a name, as Gemini's for a malformed call", "google-generative-ai", undefined],
  ])(
    "may be no filter but a fault: what was asked stays in the next request, and no other is told: %s",
    async (_what, api, empty) => {
      const message = { ...says(""), api, provider: "p", model: "m", ...empty };
      const ended = {
        events: [
          { type: "start", partial: message },
          { type: "done", reason: "stop", message },
        ],
      };
      const fault = fails("An unknown error occurred");
      const { guarded, seen } = session([...(empty ? [ended, ended, ended] : [fault, fault]), answers("ok")]);
      guardSession(guarded, makeContext({ api, release: "2026.2.3" }));
      const model = { api, provider: "p", id: "m" };
      const heard = await ask(
        guarded,
        [user("hello"), { ...message, ...says("fine"), api }, user("PLEASE")],
        {},
        model,
      );
      expect(heard.words).toContain("or by a fault of its own");
      await ask(guarded, [user("hello"), says("fine"), user("PLEASE"), heard.message, user("next")], {}, model);
      expect(seen.map((context) => JSON.stringify(context).includes("PLEASE"))).not.toContain(false);
    },
  );

  it("in a compaction stays an error: our words would become the summary of the whole conversation", async () => {
    const { guarded } = session([fails(FILTERED)]);
    guardSession(guarded, makeContext({ point: "compaction-history-gate" }));
    expect((await ask(guarded)).message).toMatchObject({ stopReason: "error", errorMessage: FILTERED });
  });

  it("by the user is no filter: an abort goes on unchanged", async () => {
    const aborted = fails(FILTERED, "half") as { events: Event[] };
    (aborted.events.at(-1)!["error"] as { stopReason: string }).stopReason = "aborted";
    const { guarded, seen } = session([aborted]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded);
    expect(heard.events.at(-1)).toBe(aborted.events.at(-1));
    expect(seen).toHaveLength(1);
    // An adapter may report an abort as an error, in any words.
    for (const api of ["google-generative-ai", "bedrock-converse-stream", MODEL.api]) {
      const ended = session([fails("This operation was ended"), answers("never asked for")]);
      guardSession(ended.guarded, makeContext({ api }));
      await ask(ended.guarded, HISTORY, { signal: AbortSignal.abort() }, { ...MODEL, api });
      expect(ended.seen).toHaveLength(1);
    }
  });
});

describe("a stream that ends cleanly inside a tool call", () => {
  it("is an error and not a command: OpenClaw 2026.2 ran the truncated one", async () => {
    const message = {
      ...says("", "stop"),
      content: [
        {
          type: "toolCall",
          id: "toolu_x",
          name: "exec",
          arguments: { command: "rm -rf /tmp/a" },
          partialJson: '{"command":"rm -rf /tmp/a',
        },
      ],
    };
    const { guarded } = session([
      {
        events: [
          { type: "start", partial: message },
          { type: "done", reason: "stop", message },
        ],
      },
    ]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).message).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining("terminated") as string,
    });
  });
});
