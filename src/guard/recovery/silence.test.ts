/** Answers without a word for the person: what is asked for once more, what is told, and what stays silent. */
import { describe, expect, it } from "vitest";
import {
  HISTORY,
  THOUGHT,
  answers,
  ask,
  calls,
  fails,
  makeContext,
  playInFreshHome,
  says,
  session,
  type Event,
  type Try,
} from "../../../harness/guard/played-call.ts";
import { result, user } from "../../../harness/messages.ts";
import { guardSession } from "../gates.ts";

playInFreshHome();

describe("an empty answer", () => {
  it.each([
    ["2026.2.3", /^\[The provider ended this answer without a word of why/],
    ["2026.9.6", /^$/],
  ])(
    "is told where OpenClaw would end the turn without a word, and left to it where it asks again: %s",
    async (release, told) => {
      const silent = { ...says(""), content: [], usage: { output: 0 } };
      const { guarded, seen } = session([
        {
          events: [
            { type: "start", partial: silent },
            { type: "done", reason: "stop", message: silent },
          ],
        },
      ]);
      guardSession(guarded, makeContext({ release }));
      expect((await ask(guarded)).words).toMatch(told);
      if (release === "2026.9.6") expect(seen).toHaveLength(1);
    },
  );
});

describe("an answer of nothing but thinking", () => {
  const thought = { ...says(""), content: [{ type: "thinking", thinking: "It is 42." }] };
  const thinks: Try = {
    events: [
      { type: "start", partial: thought },
      { type: "thinking_delta", contentIndex: 0, delta: "It is 42." },
      { type: "done", reason: "stop", message: thought },
    ],
  };

  it("is said by the agent in the same turn, and told when it is not, where OpenClaw would end the turn in silence", async () => {
    const { guarded, followUp } = session([thinks]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const first = await ask(guarded);
    expect(first.message).toMatchObject({ content: thought.content, openclawIntegrity: { hinted: true } });
    expect(followUp).toHaveBeenCalledOnce();
    expect((await ask(guarded, [...HISTORY, first.message, user("hint")])).words).toContain("without a word of why");
    expect(followUp).toHaveBeenCalledOnce();
  });

  it("is left to a release that asks again", async () => {
    const { guarded, followUp } = session([thinks]);
    guardSession(guarded, makeContext({ release: "2026.9.6" }));
    expect((await ask(guarded)).message).toBe(thought);
    expect(followUp).not.toHaveBeenCalled();
  });
});

describe("a turn that would end without a word", () => {
  const PERSON = { release: "2026.2.3", messageProvider: "telegram", blockReplyBreak: "text_end" };
  const LOOKED = [user("and now?"), calls("toolu_c"), result("toolu_c")];
  const SENT = [
    user("and now?"),
    { ...calls("toolu_c"), content: [{ type: "toolCall", id: "toolu_c", name: "message", arguments: {} }] },
    result("toolu_c"),
  ];
  const ends = (content: object[], reason = "stop"): Try => {
    const message = { ...says("", reason), content };
    return {
      events: [
        { type: "start", partial: says("") },
        { type: "done", reason, message },
      ],
    };
  };

  /** How many hints an answer leads to, and what the user is told when the same comes again. */
  async function after(tried: Try, context: object, messages: object[]) {
    const { guarded, seen, followUp } = session([tried]);
    guardSession(guarded, makeContext(context));
    const first = await ask(guarded, messages);
    const hints = followUp.mock.calls.length;
    const again = hints > 0 ? await ask(guarded, [...messages, first.message, user("hint")]) : undefined;
    const told = again?.message.content.map(({ text = "" }) => text).join("") ?? "";
    return { hints, told, seen: seen.length, first };
  }

  it.each([
    ["a sign", answers("NO_REPLY"), [user("and now?")], "chose to say nothing"],
    ["the sign of a heartbeat", answers("**HEARTBEAT_OK**"), [user("and now?")], "chose to say nothing"],
    ["a sign behind a look into a file", answers("NO_REPLY"), LOOKED, "chose to say nothing"],
    ["nothing behind a look into a file", ends([]), LOOKED, "without a word of why"],
    ["thinking at the length limit", ends([THOUGHT], "length"), LOOKED, "reached its length limit"],
  ] as const)("of a person's is said by the agent, or told: %s", async (_name, tried, messages, told) => {
    const found = await after(tried, PERSON, [...messages]);
    expect(found).toMatchObject({ hints: 1, seen: 2 });
    expect(found.told).toContain(told);
    // OpenClaw would take the whole for the sign.
    expect(found.told).not.toMatch(/NO_REPLY|HEARTBEAT_OK/);
  });

  it.each([
    ["behind an answer that a tool has sent", { ...PERSON }, SENT],
    ["in a group", { ...PERSON, groupId: "g1" }, [user("and now?")]],
    ["in a heartbeat", { ...PERSON, messageProvider: "heartbeat" }, [user("and now?")]],
    ["where the memory is flushed", { ...PERSON, blockReplyBreak: undefined }, [user("and now?")]],
    ["in a cron job", { ...PERSON, sessionKey: "agent:main:cron:1" }, [user("and now?")]],
    ["where the inserted line does not say", { release: "2026.2.3" }, [user("and now?")]],
    ["in a release that asks again", { ...PERSON, release: "2026.9.6" }, [user("and now?")]],
  ])("stays silent %s", async (_name, context, messages) => {
    expect(await after(answers("NO_REPLY"), context, messages)).toMatchObject({ hints: 0, seen: 1 });
  });

  it("stays silent where OpenClaw has put a message of a sub-agent's into the run", async () => {
    const { guarded, followUp } = session(
      [calls("toolu_c"), "NO_REPLY"].map((one) =>
        typeof one === "string" ? answers(one) : ends(one.content, "toolUse"),
      ),
    );
    guardSession(guarded, makeContext(PERSON));
    await ask(guarded, [user("and now?")]);
    await ask(guarded, [...LOOKED, user("A sub-agent has ended.")]);
    expect(followUp).not.toHaveBeenCalled();
  });

  it("is no heartbeat's that has thought and found nothing to say", async () => {
    const heartbeat = { ...PERSON, messageProvider: "heartbeat" };
    expect(await after(ends([THOUGHT]), heartbeat, [user("look")])).toMatchObject({ hints: 0, seen: 1 });
  });

  it("leaves words alone that only mention the sign", async () => {
    const found = await after(answers("NO_REPLY is a sign."), PERSON, [user("what is it?")]);
    expect(found).toMatchObject({ hints: 0, first: { words: "NO_REPLY is a sign." } });
  });
});

describe("an answer that ends where the context window does", () => {
  const FULL = "Unhandled stop reason: model_context_window_exceeded";

  it("is the person's in releases that take it for an error, and no error is told", async () => {
    const { guarded, seen } = session([fails(FULL, "half of it")]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const heard = await ask(guarded);
    expect(heard.message).toMatchObject({ stopReason: "length", content: [{ type: "text", text: "half of it" }] });
    expect(heard.message.errorMessage).toBeUndefined();
    expect(heard.types.at(-1)).toBe("done");
    expect(seen).toHaveLength(1);
  });

  it("and has no word is asked for once more, then told", async () => {
    const { guarded, followUp } = session([fails(FULL)]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const first = await ask(guarded);
    expect(followUp).toHaveBeenCalledOnce();
    expect((await ask(guarded, [...HISTORY, first.message, user("hint")])).words).toContain("reached its length limit");
  });

  it("and holds a call ends without it, as at any other limit", async () => {
    const cut = fails(FULL) as { events: Event[] };
    (cut.events.at(-1)!["error"] as { content: object[] }).content.push(...calls("toolu_x").content);
    const { guarded } = session([cut]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    const heard = await ask(guarded);
    expect(heard.words).toContain("The tool call in it was not run");
    expect(JSON.stringify(heard.message)).not.toContain("toolCall");
  });

  it("is not known by an error that only mentions it", async () => {
    const { guarded } = session([fails(`${FULL}, says a proxy`, "half")]);
    guardSession(guarded, makeContext({ release: "2026.2.3" }));
    expect((await ask(guarded)).message).toMatchObject({ stopReason: "error" });
  });
});
