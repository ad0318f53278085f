/** What the calls of one turn, and the turns behind it, have of what a refusal has taught. */
import { describe, expect, it, vi } from "vitest";
import {
  FILTERED,
  HISTORY,
  MODEL,
  ORPHAN,
  OVERLOADED,
  ROLES,
  THINKING,
  THOUGHT,
  answers,
  ask,
  calls,
  fails,
  makeContext,
  newSessionId,
  playInFreshHome,
  says,
  session,
  timed,
  type Event,
} from "../../../harness/guard/played-call.ts";
import { result, user } from "../../../harness/messages.ts";
import { guardHistory, guardSession } from "../gates.ts";

playInFreshHome();

describe("a turn", () => {
  it("costs two requests more in all, whatever they are spent on", async () => {
    const { guarded, seen } = session([fails(FILTERED), fails(ORPHAN)]);
    guardSession(guarded, makeContext());
    await ask(guarded);
    // What the filter refused, the newest message alone, and one more form of that.
    expect(seen).toHaveLength(3);
    await ask(guarded);
    expect(seen).toHaveLength(4);
  });

  it("keeps what was answered when a later call of it is refused for good", async () => {
    const { guarded, seen } = session([
      fails(ORPHAN),
      answers("working"),
      fails(OVERLOADED),
      fails(ORPHAN),
      fails(ORPHAN),
      answers("done"),
    ]);
    guardSession(guarded, makeContext());
    for (let call = 0; call < 4; call++) await ask(guarded);
    expect(JSON.stringify(seen.at(-1))).toContain("The assistant called the tool read with");
    expect(JSON.stringify(seen.at(-1))).toContain("toolu_b");
  });

  it("that was refused without a reason and answered in another form is never stored: each time may be a bad moment, and other models take it as it is", async () => {
    const sessionId = newSessionId();
    const bodies: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const { guarded, seen } = session(
        turn < 3 ? [fails("400 status code (no body)"), answers("hello")] : [answers("hello")],
      );
      await guardHistory(guarded, makeContext({ sessionId }));
      bodies.push(JSON.stringify(guarded.agent.state!.messages));
      guardSession(guarded, makeContext({ sessionId }));
      await ask(guarded);
      expect(seen).toHaveLength(turn < 3 ? 2 : 1);
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it("does not pay again in the same process for what the turn before found out, and sends what is new as it is", async () => {
    const sessionId = newSessionId();
    const first = session([fails("400 The frobnicator is displeased."), answers("hello")]);
    guardSession(first.guarded, makeContext({ sessionId }));
    await ask(first.guarded, timed(HISTORY));
    expect(first.seen).toHaveLength(2);
    const second = session([answers("well")]);
    const later = timed([...HISTORY, says("hello"), user("a third"), calls("toolu_c"), result("toolu_c")]);
    await guardHistory(second.guarded, makeContext({ sessionId }));
    expect(second.guarded.agent.state!.messages).toBe(HISTORY);
    guardSession(second.guarded, makeContext({ sessionId }));
    await ask(second.guarded, later);
    expect(second.seen).toHaveLength(1);
    const sent = JSON.stringify(second.seen[0]);
    expect(sent).toContain("The assistant called the tool read with");
    expect(sent).not.toContain('"id":"toolu_a"');
    expect(sent).toContain('"id":"toolu_c"');
    expect(sent).toContain("found toolu_c");
  });

  it("in which an image was refused takes no later image away, in its own calls or in those of later turns", async () => {
    const IMAGE =
      '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.0.image.source.base64.data: Could not process image"}}';
    const sessionId = newSessionId();
    const picture = (data: string, timestamp: number, role: object = { role: "user" }): object => ({
      ...role,
      content: [{ type: "image", data, mimeType: "image/png" }],
      timestamp,
    });
    const { content: _words, ...read } = result("toolu_c") as Record<string, unknown>;
    // The clock of the machine may have been set back since.
    const first = [picture("BAD0", 20), says("so"), user("and now?")].map((message, at) => ({
      timestamp: 10 + at,
      ...message,
    }));
    const turn = session([fails(IMAGE), answers("let me see"), answers("seen")]);
    guardSession(turn.guarded, makeContext({ sessionId }));
    await ask(turn.guarded, first);
    const looked = [...first, { ...calls("toolu_c"), timestamp: 30 }, picture("NEW1", 31, read)];
    await ask(turn.guarded, looked);
    const later = session([answers("well")]);
    const stored = [...looked, says("seen"), picture("NEW2", 40), says("nice")];
    later.guarded.agent.state!.messages = stored;
    await guardHistory(later.guarded, makeContext({ sessionId }));
    guardSession(later.guarded, makeContext({ sessionId }));
    await ask(later.guarded, [...(later.guarded.agent.state!.messages as object[]), user("go on")]);
    const sent = [...turn.seen, ...later.seen].map((context) => JSON.stringify(context).match(/BAD0|NEW\d/g) ?? []);
    expect(sent).toEqual([["BAD0"], [], ["NEW1"], ["NEW1", "NEW2"]]);
  });

  it.each([
    [
      "thinking",
      [fails(THINKING), answers("hello")],
      [user("think"), { ...says("thought"), content: [THOUGHT, { type: "text", text: "thought" }] }, user("and now?")],
    ],
    ["all as one text", [fails(ROLES), answers("hello")], [user("a"), says("b"), user("and now?")]],
  ])(
    "that was refused changes nothing that is said later, where nothing can be stored: %s",
    async (_what, tries, messages) => {
      const sessionId = newSessionId();
      const first = session(tries);
      guardSession(first.guarded, makeContext({ sessionId }));
      const refused = timed(messages);
      await ask(first.guarded, refused);
      const sent = first.seen.at(-1)!.messages;
      const later = [
        says("hello"),
        user("a third"),
        { ...calls("toolu_c"), content: [THOUGHT, ...calls("toolu_c").content] },
        result("toolu_c"),
        says("read"),
        user("a fourth"),
      ].map((message, at) => ({ ...message, timestamp: 2000 + at }));
      const next = session([answers("well")]);
      next.guarded.agent.state!.messages = [...refused, ...later];
      await guardHistory(next.guarded, makeContext({ sessionId }));
      guardSession(next.guarded, makeContext({ sessionId }));
      await ask(next.guarded, next.guarded.agent.state!.messages as object[]);
      expect(next.seen).toHaveLength(1);
      expect(next.seen[0]!.messages).toEqual([...sent, ...later]);
    },
  );

  it("in which one image was refused, or two one after the other, keeps the others", async () => {
    const refusal = (place: string) =>
      fails(
        `400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.${place}.image.source.base64: Could not process image"}}`,
      );
    const data = (name: string): string => `${name}${"A".repeat(203)}`;
    const picture = (name: string) => ({ type: "image", data: data(name), mimeType: "image/png" });
    const messages = timed([
      { role: "user", content: [picture("GOOD1"), picture("BAD00")] },
      calls("toolu_a"),
      { ...result("toolu_a"), content: [{ type: "text", text: "found toolu_a" }, picture("GOOD2")] },
      says("so"),
      user("and now?"),
    ]);
    const source = (name: string) => ({ type: "base64", media_type: "image/png", data: data(name) });
    const content = ["GOOD1", "BAD00"].map((name) => ({ type: "image", source: source(name) }));
    const body = { messages: [{ role: "user", content }] };
    for (const [tries, left] of [
      [
        [refusal("0.content.1"), answers("seen")],
        ["GOOD1", "GOOD2"],
      ],
      [[refusal("0.content.1"), refusal("0.content.0"), answers("seen")], ["GOOD2"]],
    ] as const) {
      const sessionId = newSessionId();
      const { guarded, seen } = session([...tries], {}, body);
      guardSession(guarded, makeContext({ sessionId }));
      expect((await ask(guarded, messages)).words).toMatch(/^seen/);
      const next = session([answers("well")]);
      next.guarded.agent.state!.messages = messages;
      await guardHistory(next.guarded, makeContext({ sessionId }));
      for (const sent of [seen.at(-1)!.messages, next.guarded.agent.state!.messages]) {
        const text = JSON.stringify(sent);
        expect(text.match(/GOOD\d|BAD00/g) ?? []).toEqual(left);
        expect(text).toContain('"id":"toolu_a"');
      }
    }
  });

  it.each([
    ["an image in it", "image"],
    ["more than one message", "assistant"],
  ])(
    "that is refused in unknown words for %s is answered each time, with all of it at the second time at the latest: then the plainest form comes first",
    async (_what, reason) => {
      const sessionId = newSessionId();
      const unknown = fails("400 The frobnicator is displeased.") as { events: Event[] };
      const shown = [
        { type: "text", text: "found toolu_b" },
        { type: "image", data: "aGVyb24=", mimeType: "image/png" },
      ];
      const history = timed([...HISTORY.slice(0, 4), { ...result("toolu_b"), content: shown }, ...HISTORY.slice(5)]);
      const counts: number[] = [];
      for (const turn of [0, 1]) {
        const { guarded, seen } = session([]);
        guarded.agent.streamFn = vi.fn((_model: unknown, context: unknown) => {
          seen.push(context as { messages: unknown[] });
          const { messages } = context as { messages: { role: string }[] };
          const isRefused = JSON.stringify(messages).includes(`"${reason}"`);
          const { events } = isRefused ? unknown : (answers("well") as { events: Event[] });
          return {
            async *[Symbol.asyncIterator]() {
              yield* events;
            },
            result: async () => events.at(-1)!["message"],
          };
        });
        guardSession(guarded, makeContext({ sessionId }));
        const heard = await ask(guarded, history);
        expect(heard.words).toMatch(/^well/);
        counts.push(seen.length);
        if (turn === 1 || reason === "image")
          for (const text of ["found toolu_a", "found toolu_b", "and now?"])
            expect(JSON.stringify(seen.at(-1))).toContain(text);
      }
      expect(counts).toEqual(reason === "image" ? [2, 1] : [3, 2]);
    },
  );

  it("in which OpenClaw hides what was refused leaves out the newest images first, and is never put aside for that", async () => {
    const hidden = fails(
      '400: {"error":{"message":"[Malformed diagnostic JSON redacted]","type":"invalid_request_error"},"type":"error"}',
    );
    const picture = (name: string): object => ({
      role: "user",
      content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
    });
    const messages = timed([picture("GOOD1"), says("seen"), picture("BAD00")]);
    const appendResetBoundary = vi.fn();
    const sessionManager = { resetLeaf: vi.fn(), appendResetBoundary, appendCustomMessageEntry: vi.fn() };
    const { guarded, seen } = session([hidden, answers("well")], { sessionManager });
    guardSession(guarded, makeContext());
    expect((await ask(guarded, messages)).words).toMatch(/^well/);
    expect(seen.map((context) => JSON.stringify(context).match(/GOOD1|BAD00/g))).toEqual([
      ["GOOD1", "BAD00"],
      ["GOOD1"],
    ]);
    const never = session([hidden], { sessionManager });
    guardSession(never.guarded, makeContext());
    for (let turn = 0; turn < 3; turn++)
      expect((await ask(never.guarded, messages)).words).toMatch(/refuses every request/);
    expect(appendResetBoundary).not.toHaveBeenCalled();
  });

  it("from which pictures were left out by a guess has them all for another route, also after a second refusal", async () => {
    const sessionId = newSessionId();
    const hidden = fails('400: {"error":{"message":"[Malformed diagnostic JSON redacted]"},"type":"error"}');
    const picture = (name: string): object => ({
      role: "user",
      content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
    });
    const first = [picture("ONE"), says("a"), user("b"), says("c")];
    const messages = timed([...first, picture("TWO"), says("d"), user("e"), says("f"), user("g")]);
    const sent = async (tries: Parameters<typeof session>[0], until: number, model = MODEL): Promise<unknown[]> => {
      const { guarded, seen } = session(tries);
      guarded.agent.state!.messages = messages.slice(0, until - 1);
      await guardHistory(guarded, makeContext({ sessionId }));
      guardSession(guarded, makeContext({ sessionId }));
      await ask(guarded, [...(guarded.agent.state!.messages as object[]), messages[until - 1]!], {}, model);
      return seen.map((context) => JSON.stringify(context).match(/ONE|TWO/g) ?? []);
    };
    expect(await sent([hidden, answers("c")], 3)).toEqual([["ONE"], []]);
    expect(await sent([hidden, answers("f")], 7)).toEqual([["TWO"], []]);
    expect(await sent([answers("h")], 9)).toEqual([[]]);
    expect(await sent([answers("h")], 9, { ...MODEL, id: "another" })).toEqual([["ONE", "TWO"]]);
  });

  it("that names the system prompt asks for another role of it, then for the last words: no form of the history changes that prompt", async () => {
    const body = {
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "and now?" },
      ],
    };
    const { guarded, seen } = session([fails("400 messages[0].content: unexpected role")], {}, body);
    guardSession(guarded, makeContext());
    const model = { ...MODEL, api: "openai-completions" };
    expect((await ask(guarded, HISTORY, {}, model)).words).toMatch(/its history is not the reason/);
    expect(seen.map(({ messages }) => messages.length)).toEqual([HISTORY.length, HISTORY.length, 1]);
    expect(seen[1]!.messages, "the history was changed").toEqual(seen[0]!.messages);
  });
});
