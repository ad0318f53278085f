import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../../harness/arbitrary/bodies.ts";
import { anyHistory } from "../../../harness/arbitrary/history.ts";
import { inAnthropicForm, longHistory, longHistoryFrom } from "../../../harness/arbitrary/long-history.ts";
import { listViolations } from "../../../harness/providers/index.ts";
import { isWellFormed } from "../../transcript/json/json.ts";
import { validate } from "../../transcript/index.ts";
import { heal, prepare } from "../../wire/index.ts";
import { fit } from "./fit.ts";
import { isWithin, measureMessages, type Budget } from "./measure.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 4);
const LONG = 120_000;

type Message = Record<string, unknown> & { role: string };

/** What the shortest form of a history takes at most: the newest question and its last step, without thinking. */
const LEAST = 12_000;

/** Budgets as parts of a history, in characters, in bytes or both. */
const budgets = fc.tuple(
  fc.constantFrom("characters", "bytes", "both"),
  fc.double({ min: 0.02, max: 1.1, noNaN: true }),
);

function makeBudget(messages: readonly unknown[], [of, part]: readonly [string, number]): Budget {
  const { characters, bytes } = measureMessages(messages);
  return {
    ...(of !== "bytes" && { characters: Math.max(characters * part, LEAST) }),
    ...(of !== "characters" && { bytes: Math.max(bytes * part, LEAST * 3) }),
  };
}

/** What a strict provider would say of a body that no gate has seen, without places and ids. */
function rulesBroken(api: (typeof APIS)[number], body: object): Set<string> {
  return new Set(listViolations(api, body).map(({ message }) => message.replaceAll(/\d+|[\w]*_\w+/g, "#")));
}

/** What must hold of every fitted history. */
function expectFitted(messages: readonly unknown[], budget: Budget): unknown[] {
  const before = JSON.stringify(messages);
  const given = messages.slice();
  const fitted = fit(given, budget);
  expect(JSON.stringify(given), "the history was changed in place").toBe(before);
  expect(isWithin(measureMessages(fitted), budget), "it does not fit").toBe(true);
  if (isWithin(measureMessages(given), budget)) expect(fitted).toBe(given);
  expect(fit(fitted, budget), "fitting twice").toBe(fitted);
  expect(fit(structuredClone(given), budget), "not deterministic").toEqual(fitted);
  expect(isWellFormed(fitted), "half a character is left").toBe(true);
  return fitted;
}

describe.each(APIS)("%s", (api) => {
  it(
    "a fitted history fits, and is valid for the API, so that it is not refused for another reason",
    () => {
      fc.assert(
        fc.property(longHistory, budgets, (messages, part) => {
          const prepared = prepare(api, messages);
          const fitted = expectFitted(prepared, makeBudget(prepared, part));
          expect(validate(fitted)).toEqual([]);
          expect(prepare(api, fitted), "the gate would change it again").toBe(fitted);
          const known = rulesBroken(api, carelessBody(api, prepared));
          for (const rule of rulesBroken(api, carelessBody(api, fitted))) expect([...known]).toContain(rule);
          expect(listViolations(api, heal(api, carelessBody(api, fitted)))).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    LONG,
  );
});

describe("a fitted history", () => {
  it(
    "is valid in Anthropic's own form too",
    () => {
      fc.assert(
        fc.property(longHistory, budgets, (messages, part) => {
          const own = inAnthropicForm(messages);
          const fitted = expectFitted(own, makeBudget(own, part));
          const body = (list: unknown[]): object => ({ model: "m", max_tokens: 100, messages: list });
          expect(listViolations("anthropic-messages", body(own))).toEqual([]);
          expect(listViolations("anthropic-messages", body(fitted))).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    LONG,
  );

  it(
    "has the newest question whole where that fits with the last step, and its ends in any case",
    () => {
      fc.assert(
        fc.property(longHistory, budgets, (messages, part) => {
          const budget = makeBudget(messages, part);
          const fitted = JSON.stringify(fit(messages, budget));
          const asked = messages.findLast(({ role }) => role === "user") as Message;
          const mark = /q\d+ begins/.exec(JSON.stringify(asked.content))![0];
          expect(fitted).toContain(mark);
          const { characters, bytes } = measureMessages([asked]);
          const room = { characters: characters + LEAST, bytes: bytes + 3 * LEAST, messages: 0 };
          // Its blocks, pictures too, without the brackets or quotes around: a note may stand behind them.
          if (isWithin(room, budget)) expect(fitted).toContain(JSON.stringify(asked.content).slice(1, -1));
        }),
        { numRuns: RUNS },
      );
    },
    LONG,
  );

  it(
    "begins as the one before, until the budget is reached again",
    () => {
      fc.assert(
        fc.property(fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 60 }), (numbers) => {
          const whole = longHistoryFrom(numbers, 12);
          const ends = whole.flatMap(({ role }, at) => (role === "assistant" && at > 0 ? [at] : []));
          const budget = { characters: Math.max(measureMessages(whole).characters * 0.4, LEAST) };
          let before: string[] = [];
          let given = 0;
          for (const end of ends) {
            const messages = whole.slice(0, end);
            const fitted = fit(messages, budget).map((message) => JSON.stringify(message));
            const more = measureMessages(messages.slice(given)).characters;
            const room =
              budget.characters - measureMessages(before.map((json) => JSON.parse(json) as unknown)).characters;
            // So long as the next messages fit behind the fitted ones, these are sent as they were.
            if (more + 1500 < room) expect(fitted.slice(0, before.length)).toEqual(before);
            before = fitted;
            given = end;
          }
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    },
    LONG,
  );

  it("keeps what is to be kept", () => {
    fc.assert(
      fc.property(longHistory, budgets, (messages, part) => {
        const first = { role: "user", content: "the summary of all that was before" };
        const prompt = { role: "user", content: [{ type: "text", text: "be good", isSystemPrompt: true }] };
        const fitted = fit([prompt, first, ...messages], makeBudget(messages, part), {
          isKept: (one) => one === first,
        });
        expect(fitted[0]).toBe(prompt);
        expect(JSON.stringify(fitted[1])).toContain(first.content);
      }),
      { numRuns: RUNS },
    );
  });
});

it("any JSON whatever makes it neither throw nor grow without end", () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(500), (messages, characters) => {
      const fitted = fit(messages, { characters });
      expect(measureMessages(fitted).characters).toBeLessThanOrEqual(
        Math.max(measureMessages(messages).characters, characters) + 2000,
      );
    }),
    { numRuns: RUNS * 5 },
  );
});
