import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { FAILURE_TEXTS } from "../../test/recovery/failure-texts.ts";
import { classify } from "./errors/classify.ts";
import type { ProviderError } from "./failure.ts";
import { Ladder, type LadderMemory, interpretFailure, tookHistory, tookLastWords } from "./ladder.ts";
import { treatAll } from "./remembered.ts";
import { Tries } from "./tries.ts";

/** What a provider says to one request: it refuses with these words, breaks off behind some of them, or answers. */
interface Reply {
  readonly error: ProviderError;
  readonly isAnswer: boolean;
  readonly begun: boolean;
}

/** Errors of all kinds, and often those of which each may have another request follow. */
const error: fc.Arbitrary<ProviderError> = fc.oneof(
  fc.constantFrom(
    { text: "500 internal error", status: 500 },
    { text: "400 this model does not support image input", status: 400 },
    { text: "400 the role developer is not supported", status: 400 },
    { text: "400 Invalid request", status: 400 },
  ),
  fc
    .tuple(fc.constantFrom(...FAILURE_TEXTS), fc.option(fc.constantFrom(400, 404, 413, 422, 429, 500, 503, 529)))
    .map(([[, text, , known], status]) => ({ text, ...(status !== null && { status }), ...known })),
);

const reply: fc.Arbitrary<Reply> = fc.record({
  error,
  isAnswer: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
  begun: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
});

const turns = fc.array(fc.array(reply, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 6 });

/** Plays turns of one conversation to the ladder, as both callers do; returns what was sent in each. */
function play(seed: number, length: number, replies: readonly (readonly Reply[])[]) {
  const messages = healthyFrom(seed, length);
  const memory: LadderMemory = {};
  return replies.map((said) => {
    const tries = new Tries();
    const sent: unknown[][] = [messages];
    const kinds: string[] = [];
    const ladder = new Ladder(tries, {
      route: "route",
      memory,
      messages,
      hasHistory: length > 1,
      isSuspected: false,
      get request() {
        return { messages: sent.at(-1)!, sent: sent.at(-1)! };
      },
      learn: () => undefined,
    });
    let taken: "history" | "last_words" | undefined;
    for (const { error: told, isAnswer, begun } of said) {
      if (isAnswer) {
        taken = tries.isFromLastWords ? "last_words" : "history";
        if (tries.isFromLastWords) tookLastWords(memory, "route", tries.isPlain);
        else tookHistory(memory);
        break;
      }
      const failure = classify(told);
      const meaning = interpretFailure(failure, begun, sent.at(-1)!);
      const next =
        (begun ? undefined : ladder.taught(failure)) ??
        (meaning.of === "refusal" ? ladder.refused(meaning).send : undefined) ??
        (meaning.of === "outage" ? ladder.failed(told) : undefined);
      if (!next) break;
      kinds.push(next.kind === "last_words" && next.withEnd === true ? "with_end" : next.kind);
      sent.push(treatAll(messages, tries.treatments));
    }
    return { kinds, sent, taken, isAtFault: memory.atFault !== undefined, extra: tries.extra, messages };
  });
}

describe("whatever a provider says, in whatever order, the ladder", () => {
  const cases = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 12 }), turns);
  const all = (holds: (turn: ReturnType<typeof play>[number], length: number) => void): void => {
    fc.assert(
      fc.property(cases, ([seed, length, replies]) => {
        for (const turn of play(seed, length, replies)) holds(turn, length);
      }),
      { numRuns: 100 },
    );
  };

  it("sends two more requests in a run at most, each another one, and none behind the last words alone", () => {
    all(({ kinds, sent, extra }) => {
      expect(extra).toBe(kinds.length);
      expect(extra).toBeLessThanOrEqual(2);
      expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(sent.length);
      expect(kinds.slice(0, -1)).not.toContain("last_words");
    });
  });

  it("changes nothing of the conversation itself", () => {
    fc.assert(
      fc.property(cases, ([seed, length, replies]) => {
        for (const { messages } of play(seed, length, replies)) expect(messages).toEqual(healthyFrom(seed, length));
      }),
      { numRuns: 50 },
    );
  });

  it("blames no history that was just taken, and none without an answer", () => {
    all(({ taken, isAtFault }, length) => {
      if (taken === "history" || length === 1) expect(isAtFault).toBe(false);
      if (taken === "last_words") expect(isAtFault).toBe(true);
    });
  });

  it("decides the same for the same", () => {
    fc.assert(
      fc.property(cases, ([seed, length, replies]) => {
        const decisions = () => play(seed, length, replies).map(({ kinds, isAtFault }) => [kinds, isAtFault]);
        expect(decisions()).toEqual(decisions());
      }),
      { numRuns: 50 },
    );
  });
});
