/** A route that takes no pictures: what is left out for it, and what its words may mean besides. */
import { describe, expect, it, vi } from "vitest";
import {
  HISTORY,
  MODEL,
  answers,
  ask,
  fails,
  makeContext,
  newSessionId,
  playInFreshHome,
  says,
  session,
  timed,
  type Try,
} from "../../../harness/guard/played-call.ts";
import { guardHistory, guardSession } from "../gates.ts";

playInFreshHome();

describe("a route that takes no pictures", () => {
  const picture = (name: string): object => ({
    role: "user",
    content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
  });
  const messages = timed([picture("PIC0"), says("seen"), picture("PIC1")]);
  const pictures = (seen: readonly object[]) => seen.map((context) => JSON.stringify(context).match(/PIC\d/g) ?? []);

  it.each([
    ["OpenRouter", '404 {"error":{"message":"No endpoints found that support image input","code":404}}'],
    ["Ollama", '400 {"error":{"message":"this model does not support image input (ref: b1)","type":"invalid"}}'],
    ["llama.cpp", "500 image input is not supported - hint: you may need to provide the mmproj"],
  ])(
    "is asked without them, and from then on at once; they stay stored, and other routes get them: %s",
    async (name, text) => {
      const sessionId = newSessionId();
      const model = { ...MODEL, baseUrl: `http://${name}` };
      const turn = async (tries: Try[], asked: object) => {
        const { guarded, seen } = session(tries);
        guarded.agent.state!.messages = messages;
        await guardHistory(guarded, makeContext({ sessionId }));
        expect(guarded.agent.state!.messages).toBe(messages);
        guardSession(guarded, makeContext({ sessionId }));
        return { ...(await ask(guarded, messages, {}, asked)), seen };
      };
      const first = await turn([fails(text), answers("read")], model);
      expect(pictures(first.seen)).toEqual([["PIC0", "PIC1"], []]);
      expect(JSON.stringify(first.seen[1])).toContain("this model takes no pictures");
      expect(first.words).toMatch(/^read\n\n\[This model takes no pictures/);
      const second = await turn([answers("again")], model);
      expect(second.words).toBe("again");
      expect(pictures(second.seen)).toEqual([[]]);
      expect(pictures((await turn([answers("well")], { ...model, id: "sees" })).seen)).toEqual([["PIC0", "PIC1"]]);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 3_600_000 });
      expect(pictures((await turn([answers("well")], model)).seen)).toEqual([["PIC0", "PIC1"]]);
      vi.useRealTimers();
    },
  );

  it("is asked for no more than the last words where the history has none: the words may be about something else", async () => {
    const refused = fails("404 No endpoints found that support image input");
    const { guarded, seen } = session([refused, refused, refused]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded)).message.stopReason).toBe("error");
    expect(seen).toHaveLength(3);
    const taken = session([refused, refused, answers("from the last words")]);
    guardSession(taken.guarded, makeContext());
    expect((await ask(taken.guarded)).words).toContain("from the last words");
  });
});

describe("words about pictures at a place, whatever is sent", () => {
  it("are answered in the same turn: what they say is done by the first form, and the last words come next", async () => {
    const picture = { role: "user", content: [{ type: "image", data: "A".repeat(204), mimeType: "image/png" }] };
    const refused = fails("404 messages.2.content.0: No endpoints found that support image input");
    const { guarded, seen } = session([refused, refused, answers("ok")]);
    guardSession(guarded, makeContext());
    const heard = await ask(guarded, [picture, says("seen"), ...HISTORY]);
    expect(heard.words).toContain("made from what was said last");
    expect(seen).toHaveLength(3);
  });
});
