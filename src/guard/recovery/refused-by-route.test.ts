/** A history that a route refuses in every form: the last words, the reset, and what comes later. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  HISTORY,
  MODEL,
  ORPHAN,
  ROLES,
  answers,
  ask,
  calls,
  fails,
  makeContext,
  newSessionId,
  playInFreshHome,
  says,
  session,
  type Event,
  type Try,
} from "../../../harness/guard/played-call.ts";
import { result, user } from "../../../harness/messages.ts";
import { routeName } from "../../recovery/route-name.ts";
import { sessionMemory } from "../base/memory.ts";
import { guardSession } from "../gates.ts";

playInFreshHome();

describe("a history that a route refuses in every form", () => {
  const hours = (count: number): number => count * 3_600_000;
  const stored = () => {
    const appendResetBoundary = vi.fn(() => "boundary");
    const appendCustomMessageEntry = vi.fn();
    const getBranch = () => [{ type: "message", id: "leaf", message: user("a") }];
    const sessionManager = { resetLeaf: vi.fn(), appendResetBoundary, appendCustomMessageEntry, getBranch };
    return { appendResetBoundary, appendCustomMessageEntry, more: { sessionManager } };
  };
  const isAlone = ({ messages }: { messages: unknown[] }): boolean => messages.length === 1;
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["in known words", ORPHAN],
    ["in words about roles", ROLES],
    ["without a reason", "400 status code (no body)"],
    ["in unknown words", "400 The frobnicator is displeased."],
  ])(
    "is never put aside by one that refuses the last words alone too: everything is sent when it takes requests again, %s",
    async (_what, text) => {
      const { appendResetBoundary, appendCustomMessageEntry, more } = stored();
      const sessionId = newSessionId();
      for (let turn = 0; turn < 4; turn++) {
        vi.setSystemTime(hours(30 * turn));
        const { guarded, seen } = session([fails(text)], more);
        guardSession(guarded, makeContext({ sessionId }));
        const asked = [...HISTORY.slice(0, -1), { ...user("and now?"), timestamp: turn }];
        const heard = await ask(guarded, asked);
        expect(seen.length).toBeLessThanOrEqual(3);
        expect(isAlone(seen.at(-1)!)).toBe(true);
        // OpenClaw asks the same once more: what was refused alone is not sent again.
        const again = session([fails(text)], more);
        guardSession(again.guarded, makeContext({ sessionId }));
        expect((await ask(again.guarded, asked)).message.stopReason).toBe("error");
        expect(again.seen.length).toBeLessThanOrEqual(2);
        expect(heard.words).toMatch(/its history is not the reason.*provider's words: ".*Nothing was changed/);
      }
      const { guarded, seen } = session([answers("back")], more);
      guardSession(guarded, makeContext({ sessionId }));
      expect((await ask(guarded)).words).toBe("back");
      expect(seen).toEqual([{ messages: HISTORY }]);
      expect(appendResetBoundary).not.toHaveBeenCalled();
      expect(appendCustomMessageEntry).not.toHaveBeenCalled();
    },
  );

  it("is answered from the last words of one that takes these, in later turns with its end, and stays stored", async () => {
    const { appendResetBoundary, more } = stored();
    const sessionId = newSessionId();
    const turn = async (tries: Try[], model: object = MODEL) => {
      const { guarded, seen } = session(tries, more);
      guardSession(guarded, makeContext({ sessionId }));
      return { ...(await ask(guarded, HISTORY, {}, model)), seen };
    };
    const refused = fails(ORPHAN);
    const first = await turn([refused, refused, answers("from the last words")]);
    expect(first.words).toMatch(/^from the last words\n\n\[The provider refuses the conversation so far, and takes/);
    expect(first.seen).toHaveLength(3);
    expect(JSON.stringify(first.seen[2])).toContain("and now?");
    expect(JSON.stringify(first.seen[2])).not.toMatch(/read two|toolu_a/);
    // The plainest form was not tried yet.
    const second = await turn([refused, refused, answers("again")]);
    expect(JSON.stringify(second.seen[1])).toMatch(/read two.*found toolu_a.*and now\?/);
    const third = await turn([refused, answers("from its end")]);
    expect(third.words).toMatch(/^from its end\n/);
    expect(JSON.stringify(third.seen[1])).toMatch(/read two.*and now\?/);
    expect(JSON.stringify(third.seen[1])).not.toContain("toolCall");
    // The end is refused too: it is not sent again.
    expect((await turn([refused, refused, answers("alone")])).words).toMatch(/^alone/);
    expect((await turn([refused, answers("alone")])).seen[1]!.messages).toHaveLength(1);
    // Another route knows nothing of that.
    const elsewhere = await turn([refused, refused, answers("elsewhere")], { ...MODEL, baseUrl: "http://elsewhere" });
    expect(JSON.stringify(elsewhere.seen[2])).not.toContain("read two");
    expect((await turn([answers("whole")])).seen[0]).toEqual({ messages: HISTORY });
    expect(appendResetBoundary).not.toHaveBeenCalled();
  });

  it("leaves the calls of an answer from the last words to go on in the same turn, with their results", async () => {
    const { more } = stored();
    const sessionId = newSessionId();
    const { events } = answers("reading") as { events: Event[] };
    const reading: Try = {
      events: [...events.slice(0, -1), { type: "done", reason: "toolUse", message: calls("toolu_c") }],
    };
    const { guarded, seen } = session([fails(ORPHAN), fails(ORPHAN), reading, answers("done")], more);
    guardSession(guarded, makeContext({ sessionId }));
    await ask(guarded);
    const heard = await ask(guarded, [...HISTORY, calls("toolu_c"), result("toolu_c")]);
    expect(heard.words).toMatch(/^done\n\n\[The provider refuses the conversation so far/);
    expect(seen).toHaveLength(4);
    expect(JSON.stringify(seen[3])).toMatch(/and now\?.*found toolu_c/);
    expect(JSON.stringify(seen[3])).not.toContain("toolu_a");
  });

  it("and that was reset goes on with all that comes later, whichever list OpenClaw makes its next calls with", async () => {
    const { more } = stored();
    const sessionId = newSessionId();
    const refused = fails(ORPHAN);
    const before = session([refused, refused, answers("alone")], more);
    guardSession(before.guarded, makeContext({ sessionId }));
    await ask(before.guarded);
    const memory = sessionMemory(sessionId);
    memory.atFault!.isPlain = true;
    const [first, last] = [Date.now(), Date.now() + hours(3)];
    memory.refusedParts = [{ route: routeName(MODEL), words: [], nothing: [], noHalf: { first, last } }];
    vi.setSystemTime(last);
    const { guarded, seen } = session([refused, answers("anew"), answers("hello")], more);
    guardSession(guarded, makeContext({ sessionId }));
    const { message: notice } = await ask(guarded);
    const [tail] = guarded.agent.state!.messages as { content: string }[];
    const said = { role: "user", content: [{ type: "text", text: tail!.content }], timestamp: 1 };
    const later = [
      user("go on"),
      calls("toolu_c"),
      result("toolu_c"),
      says("c"),
      user("and d"),
      says("d"),
      user("ok?"),
    ];
    await ask(guarded, [...HISTORY, notice, ...later]);
    await ask(guarded, [said, ...later]);
    expect(seen.slice(2).map(({ messages }) => messages.length)).toEqual([later.length + 2, later.length + 1]);
    for (const { messages } of seen.slice(2)) {
      expect(JSON.stringify(messages[0])).toContain(JSON.stringify(tail!.content));
      expect(messages.slice(-later.length)).toEqual(later);
    }
  });
});
