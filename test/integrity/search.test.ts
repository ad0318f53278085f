import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type Journal,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";

let journal: Journal;
beforeEach(() => {
  journal = openJournal(":memory:");
});
afterEach(() => {
  journal.close();
});

const text = (words: string) => ({ type: "text", text: words });
/** Sixty messages: questions; calls, each with words and two results; answers. */
const HISTORY = Array.from({ length: 15 }, (_, nth) => [
  { role: "user", content: [text(`q${nth}.`)] },
  {
    role: "assistant",
    content: [
      text(`t${nth}.`),
      ...["a", "b"].map((which) => ({ type: "tool_use", id: `toolu_${nth}${which}`, name: "read", input: {} })),
    ],
  },
  {
    role: "user",
    content: ["a", "b"].map((which) => ({
      type: "tool_result",
      tool_use_id: `toolu_${nth}${which}`,
      content: `r${nth}${which}.`,
    })),
  },
  { role: "assistant", content: [text(`s${nth}.`)] },
]).flat();
const WORDS = JSON.stringify(HISTORY).match(/[qtrs]\d+[ab]?\./g)!;

/** A program that searches behind each call that has a search; returns the words that each turn's last request lacked. */
async function talk(isRefused: (body: string) => boolean, turns: number): Promise<string[][]> {
  const integrity: SessionIntegrity = createSessionIntegrity({ journal });
  const session = new MemorySession({ id: "s", format: "anthropic", messages: structuredClone(HISTORY) as never[] });
  const options = { api: "anthropic-messages", model: "m" } as const;
  const missing: string[][] = [];
  let body = "";
  const send = async (messages: never[]): Promise<string> => {
    body = JSON.stringify(messages);
    if (isRefused(body)) throw Object.assign(new Error("400 The frobnicator is displeased."), { status: 400 });
    return "well";
  };
  for (let turn = 0; turn < turns; turn++) {
    await session.append([{ role: "user", content: `turn ${turn}?` }] as never[]);
    const call = await integrity.guardCall(session, send, options);
    if (call.outcome !== "answered") throw new Error(`turn ${turn}: ${call.outcome}`);
    missing.push(WORDS.filter((word) => !body.includes(word)));
    await session.append([{ role: "assistant", content: [text(call.response)] }] as never[]);
    const done = await call.search?.(send);
    expect(done?.requests ?? 0).toBeLessThanOrEqual(8);
  }
  return missing;
}

describe("behind calls, a search finds what is refused", () => {
  it.each([
    { what: "a question", words: ["q7."] },
    { what: "one of two results", words: ["r3b."] },
    { what: "the words before a call", words: ["t9."] },
  ])("and in the end nothing else is missing: $what", async ({ words }) => {
    const missing = await talk((body) => words.every((word) => body.includes(word)), 5);
    expect(missing[0]!.length).toBeGreaterThan(40);
    expect(missing[1]!.length).toBeLessThanOrEqual(4);
    expect(missing.at(-1)).toEqual(words);
  });

  it("of two words that are refused together one is left out, with less and less beside it", async () => {
    const missing = await talk((body) => body.includes("q2.") && body.includes("s11."), 12);
    const found = missing.findIndex(({ length }) => length < 40);
    expect(found).toBeLessThanOrEqual(2);
    for (const words of missing.slice(found))
      expect(words.filter((word) => word === "q2." || word === "s11.")).toHaveLength(1);
    expect(missing.at(-1)).toHaveLength(1);
  });
});

describe("a failure that says nothing of its request", () => {
  const asks = async (turns: number, fails: (body: string) => boolean, status = 500) => {
    const integrity: SessionIntegrity = createSessionIntegrity({ journal });
    const session = new MemorySession({ id: "f", format: "anthropic", messages: structuredClone(HISTORY) as never[] });
    const sent: string[] = [];
    const send = async (messages: never[]): Promise<string> => {
      sent.push(JSON.stringify(messages));
      if (fails(sent.at(-1)!)) throw Object.assign(new Error("internal error"), { status });
      return "well";
    };
    const outcomes: string[] = [];
    for (let turn = 0; turn < turns; turn++) {
      await session.append([{ role: "user", content: `turn ${turn}?` }] as never[]);
      const call = await integrity.guardCall(session, send, { api: "anthropic-messages", model: "m" });
      outcomes.push(call.outcome);
      if (call.outcome !== "answered") continue;
      await session.append([{ role: "assistant", content: [text(call.response)] }] as never[]);
      await call.search?.(send);
    }
    return { outcomes, sent };
  };

  it.each([500, 503])(
    "and comes with one part of the history is answered from the second message on: %s",
    async (status) => {
      const { outcomes, sent } = await asks(3, (body) => body.includes("q7."), status);
      expect(outcomes).toEqual(["failed", "answered", "answered"]);
      expect(WORDS.filter((word) => !sent.at(-1)!.includes(word))).toEqual(["q7."]);
    },
  );

  it("and comes with every request costs one request more in each turn but the first, and changes nothing", async () => {
    const { outcomes, sent } = await asks(3, () => true);
    expect(outcomes).toEqual(["failed", "failed", "failed"]);
    expect(sent).toHaveLength(5);
    for (const word of WORDS) expect(sent[3]).toContain(word);
  });

  it("and passes is no reason to leave anything out", async () => {
    let left = 1;
    const { outcomes, sent } = await asks(2, () => left-- > 0);
    expect(outcomes).toEqual(["failed", "answered"]);
    for (const word of WORDS) expect(sent.at(-1)).toContain(word);
  });

  it("and is the limit of an account is never taken for the history's doing", async () => {
    const { outcomes, sent } = await asks(6, () => true, 429);
    expect(new Set(outcomes)).toEqual(new Set(["failed"]));
    expect(sent).toHaveLength(6);
  });
});
