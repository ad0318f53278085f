/** A request that is too large: when OpenClaw's compaction goes first, and what is made to fit. */
import { describe, expect, it } from "vitest";
import {
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
import { user } from "../../../harness/messages.ts";
import { guardSession } from "../gates.ts";

playInFreshHome();

describe("a request that is too large", () => {
  const TOO_LONG = fails('400 {"error":{"message":"prompt is too long: 60000 tokens > 30000 maximum"}}');
  const long = Array.from({ length: 20 }, (_, n) => [user(`Q${n} ${"heron ".repeat(800)}`), says(`A${n}`)]).flat();
  const history = timed([...long, user("the newest question")]);
  const jsonLength = (context: unknown): number => JSON.stringify(context).length;

  it("is left to OpenClaw's compaction first, then made to fit, and fits from the next turn on; the user is told once", async () => {
    const sessionId = newSessionId();
    const turn = async (tries: Try[]) => {
      const { guarded, seen } = session(tries);
      guardSession(guarded, makeContext({ sessionId }));
      return { ...(await ask(guarded, history)), seen };
    };
    const first = await turn([TOO_LONG]);
    expect(first.message.stopReason).toBe("error");
    expect(first.seen).toHaveLength(1);
    const second = await turn([TOO_LONG, answers("ok")]);
    expect(second.words).toMatch(/^ok\n\n\[This conversation is larger than the model takes/);
    expect(jsonLength(second.seen[1])).toBeLessThan(jsonLength(second.seen[0]) / 2);
    expect(JSON.stringify(second.seen[1])).toContain("the newest question");
    const third = await turn([answers("again")]);
    expect(third.words).toBe("again");
    expect(JSON.stringify(third.seen[0])).toBe(JSON.stringify(second.seen[1]));
  });

  it("is made to fit at once where the newest question alone is too large, which no compaction summarises", async () => {
    const { guarded, seen } = session([TOO_LONG, answers("ok")]);
    guardSession(guarded, makeContext());
    const pasted = timed([user("Q"), says("A"), user(`look at this ${"heron ".repeat(20_000)}`)]);
    expect((await ask(guarded, pasted)).words).toMatch(/^ok/);
    expect(jsonLength(seen[1])).toBeLessThan(jsonLength(seen[0]) / 2);
  });

  it("is made to fit right behind a compaction, which did not help", async () => {
    const getBranch = () => [
      { type: "message", id: "one", message: says("A") },
      { type: "compaction", id: "two" },
    ];
    const { guarded } = session([TOO_LONG, answers("ok")], { sessionManager: { getBranch } });
    guardSession(guarded, makeContext());
    expect((await ask(guarded, history)).words).toMatch(/^ok/);
  });

  it("is made to fit at once where it is the request for a summary, and where too much is no token, which no compaction counts", async () => {
    const summary = session([TOO_LONG, answers("a summary")]);
    guardSession(summary.guarded, makeContext({ point: "compaction-history-gate" }));
    expect((await ask(summary.guarded, history)).words).toBe("a summary");
    for (const refusal of [
      "413 Request body too large",
      "400 Invalid 'input[43].output': string too long. Expected a string with maximum length 3000, but got a string with length 4800 instead.",
    ]) {
      const { guarded } = session([fails(refusal), answers("ok")]);
      guardSession(guarded, makeContext());
      expect((await ask(guarded, history)).words).toMatch(/^ok/);
    }
  });

  it("is made to fit at once right behind a compaction, which has not made it small enough", async () => {
    const compaction = { type: "compaction", id: "c1" };
    const entry = (message: object): object => ({ type: "message", id: "m", message });
    const behind = [compaction, entry(user("now")), entry({ ...says(""), stopReason: "error" })];
    for (const [branch, sent] of [
      [behind, 2],
      [[...behind, entry(says("answered")), entry(user("next"))], 1],
    ] as const) {
      const { guarded, seen } = session([TOO_LONG, answers("ok")], {
        sessionManager: { getBranch: () => branch },
      });
      guardSession(guarded, makeContext({ release: "2026.9.6" }));
      await ask(guarded, history);
      expect(seen).toHaveLength(sent);
    }
  });

  it("is made to fit beside the system prompt and the tools, in the next turn too", async () => {
    const sessionId = newSessionId();
    const beside = { systemPrompt: "rule ".repeat(6000), tools: [{ name: "read", description: "d".repeat(9000) }] };
    const turn = async (tries: Try[]) => {
      const { guarded, seen } = session(tries);
      guardSession(guarded, makeContext({ sessionId }));
      await ask(guarded, history, {}, MODEL, beside);
      return seen;
    };
    await turn([TOO_LONG]);
    const [, fitted] = await turn([TOO_LONG, answers("ok")]);
    const [next] = await turn([answers("again")]);
    expect(next!.messages).toEqual(fitted!.messages);
  });

  it("goes to OpenClaw again where nothing fits beside the system prompt, and behind two tries", async () => {
    const { guarded, seen } = session([fails("413 Request body too large")]);
    guardSession(guarded, makeContext());
    expect((await ask(guarded, history)).message.stopReason).toBe("error");
    expect(seen.length).toBeLessThanOrEqual(3);
  });
});
