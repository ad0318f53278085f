import fc from "fast-check";
import { expect, it } from "vitest";
import { createSessionIntegrity, MemorySession, MemoryStore, openJournal } from "../../src/integrity/index.ts";
import { HISTORY_ANTHROPIC } from "../recovery/history-anthropic.ts";
import { HISTORY_OPENAI } from "../recovery/history-openai.ts";
import { OTHERS } from "../recovery/not-history.ts";
import { ROLES } from "../recovery/route-texts.ts";
import { WRITERS } from "./messages.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 100);
const TURNS = 5;
const { user, says, calls, results } = WRITERS.anthropic;

/** What a provider refuses that nobody knows of. */
type Rule = { of: "everything" | "calls" | "second" } | { of: "word"; nth: number } | { of: "length"; most: number };

const rule: fc.Arbitrary<Rule> = fc.oneof(
  fc.constantFrom<Rule>({ of: "everything" }, { of: "calls" }, { of: "second" }),
  fc.record({ of: fc.constant("word" as const), nth: fc.nat(11) }),
  fc.record({ of: fc.constant("length" as const), most: fc.nat(8) }),
);
const texts = [...HISTORY_ANTHROPIC, ...HISTORY_OPENAI, ...OTHERS, ...ROLES].map(([, text]) => text);
const makeWord = (nth: number): string => `WORD-${nth}.`;

function isRefused(given: Rule, messages: readonly unknown[], request: number): boolean {
  const said = JSON.stringify(messages);
  switch (given.of) {
    case "everything":
      return true;
    case "second":
      return request % 2 === 0;
    case "calls":
      return said.includes('"tool_use"');
    case "word":
      return said.includes(makeWord(given.nth));
    case "length":
      return messages.length > given.most;
  }
}

it("no provider, whatever it refuses in whatever words, has a word of a conversation archived or lost, or costs more than three requests a turn", async () => {
  await fc.assert(
    fc.asyncProperty(
      rule,
      fc.constantFrom(...texts),
      fc.constantFrom(400, 404, 422, 500),
      async (given, text, status) => {
        const store = new MemoryStore();
        const talk = [0, 1, 2].flatMap((nth) => [
          user(makeWord(nth * 4)),
          calls(`toolu_${nth}`),
          ...results([`toolu_${nth}`, makeWord(nth * 4 + 1)]),
          says(makeWord(nth * 4 + 2)),
        ]);
        const session = new MemorySession({ id: "s", store, messages: [...talk, user("and now?")] });
        const journal = openJournal(":memory:");
        const integrity = createSessionIntegrity({ journal });
        const words = talk.flatMap((message) => JSON.stringify(message).match(/WORD-\d+\./g) ?? []);
        for (let turn = 0; turn < TURNS; turn++) {
          let requests = 0;
          const { outcome } = await integrity.guardCall(session, async (messages) => {
            if (isRefused(given, messages, requests++)) throw Object.assign(new Error(text), { status });
            return "answered";
          });
          expect(requests).toBeLessThanOrEqual(3);
          await session.append([...(outcome === "answered" ? [says("well")] : []), user(`turn ${turn}`)]);
          expect(
            journal.incidents.list({ sessionId: "s" }).filter(({ details }) => details.action === "reset"),
          ).toEqual([]);
        }
        // The provider takes everything again, as the endpoint of before does.
        const asked = await integrity.guardCall(session, async (messages) => JSON.stringify(messages));
        expect(asked.outcome).toBe("answered");
        for (const word of words) expect(asked.response).toContain(word);
        journal.close();
      },
    ),
    { numRuns: RUNS },
  );
});
